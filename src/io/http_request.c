/* A request, as it is checked and as libcurl is told. */
#include "src/io/http.h"

#include "src/io/header.h"
#include "src/io/memory.h"

#include <limits.h>
#include <strings.h>

#define USER_AGENT "recourse/0.1"
#define RECEIVE_BUFFER 16384L
#define HEADER_LINE_MAX 8192u

static const struct {
    const char *name;
    bool has_body; /* sent with an empty body where the caller gives none */
} methods[] = {{"GET", false}, {"POST", true}, {"PUT", true}, {"PATCH", true}, {"DELETE", false}};

/* libcurl frames the body and waits for nothing: another word about that would make two messages out of one. */
static const char *const reserved[] = {"Content-Length", "Transfer-Encoding", "Expect"};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool is_named(const char *line, const char *name)
{
    size_t size = strlen(name);

    return rcs_header_name_size(line) == size && strncasecmp(line, name, size) == 0;
}

static bool is_header_line(const char *line)
{
    if (rcs_header_name_size(line) == 0 || !rcs_header_is_clean(line) || strlen(line) > HEADER_LINE_MAX) {
        return false;
    }
    for (size_t i = 0; i < COUNT(reserved); i++) {
        if (is_named(line, reserved[i])) {
            return false;
        }
    }
    return true;
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

static int check_url(const char *text, bool *plain)
{
    CURLU *url = curl_url();
    char *scheme = NULL;
    CURLUcode result;
    int code = RECOURSE_E_ARGUMENT;

    if (url == NULL) {
        return RECOURSE_E_MEMORY;
    }
    result = curl_url_set(url, CURLUPART_URL, text, 0);
    if (result == CURLUE_OK) {
        result = curl_url_get(url, CURLUPART_SCHEME, &scheme, 0);
    }
    if (result == CURLUE_OUT_OF_MEMORY) {
        code = RECOURSE_E_MEMORY;
    } else if (result == CURLUE_OK) {
        *plain = strcmp(scheme, "http") == 0;
        code = *plain || strcmp(scheme, "https") == 0 ? 0 : RECOURSE_E_ARGUMENT;
    }
    curl_free(scheme);
    curl_url_cleanup(url);
    return code;
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

int rcs_http_check(const struct recourse_http_request *request, bool *plain)
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
    return check_url(request->url, plain);
}

static bool add_line(struct recourse_transfer *transfer, const char *line)
{
    struct curl_slist *lines = curl_slist_append(transfer->lines, line);

    if (lines != NULL) {
        transfer->lines = lines;
    }
    return lines != NULL;
}

/* For libcurl "Name:" means "leave this header out", and "Name;" one without a value. */
static bool add_header(struct recourse_transfer *transfer, const char *line)
{
    char text[HEADER_LINE_MAX + 1];
    size_t name = rcs_header_name_size(line);

    if (line[name + 1 + strspn(line + name + 1, " \t")] != '\0') {
        return add_line(transfer, line);
    }
    memcpy(text, line, name);
    memcpy(text + name, ";", 2);
    return add_line(transfer, text);
}

static bool add_headers(struct recourse_transfer *transfer)
{
    for (const char *const *line = headers_of(transfer->request); *line != NULL; line++) {
        if (!add_header(transfer, *line)) {
            return false;
        }
    }
    if (!has_header(transfer->request, "Content-Type") && !add_line(transfer, "Content-Type:")) {
        return false;
    }
    return add_line(transfer, "Expect:");
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
    {CURLOPT_BUFFERSIZE, RECEIVE_BUFFER},
    {CURLOPT_NOPROGRESS, 0L},
    {CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L},
    {CURLOPT_NETRC, CURL_NETRC_IGNORED},
};

/* The environment is never asked: not for a proxy, and not for whom there is none. */
static const struct {
    CURLoption option;
    const char *value;
} texts[] = {
    {CURLOPT_PROTOCOLS_STR, "http,https"}, {CURLOPT_REDIR_PROTOCOLS_STR, "http,https"}, {CURLOPT_NOPROXY, ""},
    {CURLOPT_ACCEPT_ENCODING, ""},         {CURLOPT_USERAGENT, USER_AGENT},
};

static bool describe_always(CURL *easy)
{
    bool failed = false;

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
    failed |= curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request->method) != CURLE_OK;
    return !failed;
}

int rcs_http_describe(struct recourse_transfer *transfer)
{
    const struct recourse_http_request *request = transfer->request;
    const char *proxy = request->proxy != NULL ? request->proxy : "";
    CURL *easy = transfer->easy;
    bool failed = !add_headers(transfer) || !describe_always(easy) || !describe_method(easy, request);

    failed |= curl_easy_setopt(easy, CURLOPT_HTTPHEADER, transfer->lines) != CURLE_OK;
    failed |= curl_easy_setopt(easy, CURLOPT_URL, request->url) != CURLE_OK;
    failed |= curl_easy_setopt(easy, CURLOPT_PROXY, proxy) != CURLE_OK;
    if (request->ca_file != NULL) {
        failed |= curl_easy_setopt(easy, CURLOPT_CAINFO, request->ca_file) != CURLE_OK;
    }
    return failed ? RECOURSE_E_MEMORY : 0;
}
