/* A request, as it is checked and as libcurl is told. */
#include "src/io/http.h"

#include "src/io/header.h"
#include "src/io/memory.h"

#include <limits.h>
#include <strings.h>

static const struct {
    const char *name;
    bool has_body; /* sent with an empty body where the caller gives none */
} methods[] = {{"GET", false}, {"POST", true}, {"PUT", true}, {"PATCH", true}, {"DELETE", false}};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool is_named(const char *line, const char *name)
{
    size_t size;

    if ((line[0] | 0x20) != (name[0] | 0x20)) {
        return false; /* most are told apart by this */
    }
    size = strlen(name);
    return strncasecmp(line, name, size) == 0 && line[size] == ':';
}

static bool is_header_line(const char *line)
{
    return strlen(line) <= RCS_HEADER_LINE_MAX && rcs_header_name_size(line) > 0 && rcs_header_is_clean(line) &&
           !rcs_header_is_framing(line); /* another word about that would make two messages out of one */
}

static const char *const no_headers[] = {NULL};

static const char *const *headers_of(const struct recourse_http_request *request)
{
    return request->headers != NULL ? request->headers : no_headers;
}

static bool has_header(const struct recourse_http_request *request, const char *name)
{
    for (const char *const *line = headers_of(request); *line != NULL; line++) {
        if (is_named(*line, name)) {
            return true;
        }
    }
    return false;
}

static bool is_method(const char *name)
{
    for (size_t i = 0; name != NULL && i < COUNT(methods); i++) {
        if (strcmp(name, methods[i].name) == 0) {
            return true;
        }
    }
    return false;
}

int rcs_http_check(const struct recourse_http_request *request)
{
    if (!is_method(request->method) || request->url == NULL) {
        return RECOURSE_E_ARGUMENT;
    }
    if (request->body.data == NULL && request->body.size > 0) {
        return RECOURSE_E_ARGUMENT;
    }
    for (const char *const *line = headers_of(request); *line != NULL; line++) {
        if (!is_header_line(*line)) {
            return RECOURSE_E_ARGUMENT;
        }
    }
    return 0;
}

/* For libcurl "Name:" means "leave this header out", and "Name;" one without a value. */
static bool is_blank(const char *line)
{
    const char *end = line + strlen(line);

    while (end > line && (end[-1] == ' ' || end[-1] == '\t')) {
        end--;
    }
    return end > line && end[-1] == ':' && (size_t)(end - 1 - line) == rcs_header_name_size(line);
}

/* Header lines as libcurl wants them: nodes in one block, which borrow the caller's texts. */
struct lines {
    struct curl_slist *next; /* node to be filled */
    char *text;              /* room for lines that have to be written anew */
};

/* libcurl only reads them. */
static void add_line(struct lines *lines, const char *line)
{
    *lines->next = (struct curl_slist){.data = (char *)(uintptr_t)line, .next = lines->next + 1};
    lines->next++;
}

static void add_header(struct lines *lines, const char *line)
{
    size_t name;

    if (!is_blank(line)) {
        add_line(lines, line);
        return;
    }
    name = rcs_header_name_size(line);
    memcpy(lines->text, line, name);
    memcpy(lines->text + name, ";", 2);
    add_line(lines, lines->text);
    lines->text += name + 2;
}

/*
 * Lines that every request has, unless the caller gives them. The agent and the encodings could be options: libcurl
 * would then write each of them twice.
 */
static const struct {
    const char *name;
    const char *line;
    size_t body_min; /* only with a body so large */
    bool inflates;   /* only if libcurl can */
} own[] = {
    {"Content-Type", "Content-Type:", 0, false},
    {"User-Agent", "User-Agent: recourse/" RECOURSE_VERSION, 0, false},
    {"Accept-Encoding", "Accept-Encoding: gzip, deflate", 0, true},
    {"Expect", "Expect:", 1024, false}, /* libcurl has it for large bodies; the older ones from here on */
};

#define OWN_LINES COUNT(own)

static size_t count_headers(const char *const *headers)
{
    size_t count = 0;

    while (headers[count] != NULL) {
        count++;
    }
    return count;
}

/* Makes room for the lines; those of earlier exchanges are overwritten. */
static bool reserve_lines(struct recourse_transfer *transfer, size_t count)
{
    const char *const *headers = headers_of(transfer->request);
    size_t size = count * sizeof(struct curl_slist);
    struct curl_slist *lines;

    for (size_t i = 0; headers[i] != NULL; i++) {
        size += is_blank(headers[i]) ? rcs_header_name_size(headers[i]) + 2 : 0;
    }
    if (size <= transfer->lines_size) {
        return true;
    }
    lines = rcs_realloc(transfer->http->allocator, transfer->lines, size);
    if (lines == NULL) {
        return false;
    }
    transfer->lines = lines;
    transfer->lines_size = size;
    return true;
}

static bool add_headers(struct recourse_transfer *transfer)
{
    const char *const *headers = headers_of(transfer->request);
    size_t count = count_headers(headers) + OWN_LINES;
    struct lines lines;

    if (!reserve_lines(transfer, count)) {
        return false;
    }
    transfer->answer.any_encoding = has_header(transfer->request, "Accept-Encoding");
    lines = (struct lines){.next = transfer->lines, .text = (char *)(transfer->lines + count)};
    for (size_t i = 0; headers[i] != NULL; i++) {
        add_header(&lines, headers[i]);
    }
    for (size_t i = 0; i < OWN_LINES; i++) {
        if (transfer->request->body.size >= own[i].body_min && (!own[i].inflates || transfer->http->inflates) &&
            !has_header(transfer->request, own[i].name)) {
            add_line(&lines, own[i].line);
        }
    }
    if (lines.next == transfer->lines) {
        return curl_easy_setopt(transfer->easy, CURLOPT_HTTPHEADER, NULL) == CURLE_OK;
    }
    lines.next[-1].next = NULL;
    return curl_easy_setopt(transfer->easy, CURLOPT_HTTPHEADER, transfer->lines) == CURLE_OK;
}

static const struct {
    CURLoption option;
    long value;
} numbers[] = {
    {CURLOPT_NOSIGNAL, 1L},
    {CURLOPT_QUICK_EXIT, 1L}, /* else removing a handle waits for its name lookup */
    {CURLOPT_FOLLOWLOCATION, 0L},
    {CURLOPT_TIMEOUT_MS, 0L},
    {CURLOPT_CONNECTTIMEOUT_MS, INT_MAX}, /* 0 would be five minutes */
    {CURLOPT_BUFFERSIZE, RCS_HTTP_RECEIVE_SMALL},
    {CURLOPT_NOPROGRESS, 1L},
    {CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L},
    {CURLOPT_NETRC, CURL_NETRC_IGNORED},
};

/* The environment is never asked: not for a proxy, and not for whom there is none. */
static const struct {
    CURLoption option;
    const char *value;
} texts[] = {
    {CURLOPT_PROTOCOLS_STR, "http,https"}, {CURLOPT_REDIR_PROTOCOLS_STR, "http,https"}, {CURLOPT_NOPROXY, ""},
    {CURLOPT_ACCEPT_ENCODING, ""},         {CURLOPT_PROXY, ""},
};

bool rcs_http_prepare(CURL *easy, bool http2)
{
    long version = http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1;
    bool failed = curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, version) != CURLE_OK;

    for (size_t i = 0; i < COUNT(numbers); i++) {
        failed |= curl_easy_setopt(easy, numbers[i].option, numbers[i].value) != CURLE_OK;
    }
    for (size_t i = 0; i < COUNT(texts); i++) {
        failed |= curl_easy_setopt(easy, texts[i].option, texts[i].value) != CURLE_OK;
    }
    return !failed;
}

static bool sends_body(const struct recourse_http_request *request)
{
    for (size_t i = 0; i < COUNT(methods); i++) {
        if (strcmp(request->method, methods[i].name) == 0) {
            return request->body.data != NULL || methods[i].has_body;
        }
    }
    return false;
}

/* The method, where it does not follow from there being a body. */
static const char *named_method(const struct recourse_http_request *request)
{
    return strcmp(request->method, sends_body(request) ? "POST" : "GET") == 0 ? NULL : request->method;
}

static bool describe_method(CURL *easy, const struct recourse_http_request *request)
{
    bool failed = false;

    if (sends_body(request)) {
        const char *body = request->body.data != NULL ? request->body.data : "";

        failed |= curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body.size) != CURLE_OK;
        failed |= curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body) != CURLE_OK;
    } else {
        failed |= curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L) != CURLE_OK;
    }
    return !failed && curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, named_method(request)) == CURLE_OK;
}

int rcs_http_describe(struct recourse_transfer *transfer)
{
    const struct recourse_http_request *request = transfer->request;
    CURL *easy = transfer->easy;
    bool failed = !add_headers(transfer) || !describe_method(easy, request);

    failed |= curl_easy_setopt(easy, CURLOPT_CURLU, rcs_url_parts(transfer->url)) != CURLE_OK;
    if (request->proxy != NULL) {
        failed |= curl_easy_setopt(easy, CURLOPT_PROXY, request->proxy) != CURLE_OK;
    }
    if (request->ca_file != NULL) {
        failed |= curl_easy_setopt(easy, CURLOPT_CAINFO, request->ca_file) != CURLE_OK;
    }
    return failed ? RECOURSE_E_MEMORY : 0;
}
