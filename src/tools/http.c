/* HTTP tools: a call becomes one request, its answer becomes facts. */
#include "src/tools/tools.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "src/core/json.h"
#include "src/core/phrase.h"
#include "src/core/text.h"
#include "src/io/buffer.h"
#include "src/io/header.h"
#include "src/io/memory.h"
#include "src/io/timer.h"

#define HEADERS_OWN 6u /* at most so many of ours */
#define URL_MAX 1048576u
#define KEY_HEADER "Idempotency-Key: "
#define TRY_HEADER "Recourse-Try: "

struct http_try {
    struct rcs_try base;
    const struct rcs_tool_host *host;
    void (*ended)(void *user, const struct recourse_facts *facts);
    void *user;
    struct recourse_transfer *transfer;
    struct rcs_claim claim; /* the query, and the answer's body */
    struct recourse_http_request request;
    char key[sizeof KEY_HEADER + 32];
    char number[sizeof TRY_HEADER + 10];
    struct rcs_buffer url; /* with the query; empty where there is none */
    const char *headers[];
};

/* ---- configuration ---- */

/* "Name: value" (RFC 9110, 5.5), and none that says where the request ends. The value may be a secret: not shown. */
static int check_header(const char *tool, const char *header, struct recourse_error *error)
{
    struct recourse_span name = {header, rcs_header_name_size(header)};

    if (name.size == 0) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "tool '%s': a header is not of the form \"Name: value\"",
                              tool);
    }
    if (!rcs_header_is_clean(header)) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT,
                        "tool '%s': the value of header '%.*s' has a line break or another control character", tool,
                        (int)name.size, header);
    }
    if (strlen(header) > RCS_HEADER_LINE_MAX) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "tool '%s': header '%.*s' is longer than %u bytes", tool,
                        name.size < 80 ? (int)name.size : 80, header, RCS_HEADER_LINE_MAX);
    }
    if (rcs_header_is_framing(header)) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "tool '%s': header '%.*s' can't be set", tool, (int)name.size,
                        header);
    }
    return 0;
}

/* The host and port of a URL: found wrong here, before any call is made, and not by each of its tries. */
static int check_authority(const char *tool, const char *authority, struct recourse_error *error)
{
    size_t size = strcspn(authority, "/?");
    const char *closing = memchr(authority, ']', size);
    const char *host_end = *authority != '[' ? authority + strcspn(authority, ":/?") : closing != NULL ? closing + 1 : authority;
    const char *port;
    unsigned long number = 0;

    if (memchr(authority, '@', size) != NULL) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "tool '%s': a URL with credentials is not taken; send them in a header",
                        tool);
    }
    if (host_end == authority || (host_end < authority + size && *host_end != ':')) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "tool '%s': the URL has no host, or a malformed one", tool);
    }
    for (port = host_end + 1; port < authority + size && *port >= '0' && *port <= '9' && number <= 65535; port++) {
        number = number * 10 + (unsigned long)(*port - '0');
    }
    if (host_end < authority + size && (port != authority + size || number == 0 || number > 65535)) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "tool '%s': the URL's port is none", tool);
    }
    return 0;
}

static int check_url(const char *tool, const char *url, struct recourse_error *error)
{
    struct recourse_span scheme = {url, url == NULL ? 0 : strcspn(url, ":")};

    if (url == NULL || !(rcs_text_equal_folded(scheme, "http") || rcs_text_equal_folded(scheme, "https")) ||
        strncmp(url + scheme.size, "://", 3) != 0 || url[scheme.size + 3] == '\0') {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "tool '%s' needs a URL that begins with http:// or https://",
                              tool);
    }
    for (const char *at = url; *at != '\0'; at++) {
        if ((unsigned char)*at <= 0x20 || *at == 0x7f || *at == '#') {
            return rcs_fail(error, RECOURSE_E_ARGUMENT,
                                  "tool '%s': the URL has a blank, a control character or a '#' at byte %zu", tool,
                                  (size_t)(at - url));
        }
    }
    return check_authority(tool, url + scheme.size + 3, error);
}

static int check_ways(const struct recourse_tool *config, struct recourse_error *error)
{
    static const char *const schemes[] = {"http://", "https://", "socks4://", "socks4a://", "socks5://", "socks5h://"};
    bool known = config->proxy == NULL;

    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0] && !known; i++) {
        known = strncmp(config->proxy, schemes[i], strlen(schemes[i])) == 0;
    }
    if (!known) { /* what it says is not shown: it may hold a password */
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "tool '%s': the proxy begins with none of http://, https://, socks4://, "
                        "socks4a://, socks5://, socks5h://", config->name);
    }
    if (config->ca_file != NULL && access(config->ca_file, R_OK) != 0) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "tool '%s': ca_file %s can't be read: %s", config->name, config->ca_file,
                        strerror(errno));
    }
    return 0;
}

static int check(const struct recourse_tool *config, struct recourse_error *error)
{
    static const char *const methods[] = {"POST", "GET", "PUT", "PATCH", "DELETE"};
    bool known = config->method == NULL;
    int code = check_url(config->name, config->url, error);

    for (size_t i = 0; i < sizeof methods / sizeof methods[0] && !known; i++) {
        known = strcmp(config->method, methods[i]) == 0;
    }
    if (code == 0 && !known) {
        code = rcs_fail(error, RECOURSE_E_ARGUMENT,
                              "tool '%s': method '%.20s' is none of POST, GET, PUT, PATCH, DELETE", config->name,
                              config->method);
    }
    if (code == 0) {
        code = check_ways(config, error);
    }
    for (size_t i = 0; code == 0 && config->headers != NULL && config->headers[i] != NULL; i++) {
        code = check_header(config->name, config->headers[i], error);
    }
    return code;
}

/* ---- the request ---- */

/* RFC 3986, 2.3: everything but the unreserved characters is encoded. */
static int put_encoded(struct rcs_buffer *url, struct recourse_span text)
{
    static const char digits[] = "0123456789ABCDEF";
    int code = 0;

    for (size_t i = 0; i < text.size && code == 0; i++) {
        unsigned char byte = (unsigned char)text.data[i];

        if ((byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
            byte == '-' || byte == '.' || byte == '_' || byte == '~') {
            code = rcs_buffer_append_byte(url, (char)byte);
        } else {
            code = rcs_buffer_append(url, (char[]){'%', digits[byte >> 4], digits[byte & 15u]}, 3);
        }
    }
    return code;
}

/* Strings are unescaped; numbers keep the bytes that they came in; objects and arrays stay JSON. */
static int put_value(struct rcs_buffer *url, struct recourse_span value, struct rcs_buffer *scratch)
{
    struct recourse_span text = rcs_json_trim(value);
    size_t size;
    int code;

    if (rcs_json_type_of(text) != RCS_JSON_STRING) {
        return put_encoded(url, text);
    }
    size = rcs_json_unescape(text, NULL, 0);
    rcs_buffer_reset(scratch);
    code = rcs_buffer_reserve(scratch, size);
    if (code != 0) {
        return code;
    }
    rcs_json_unescape(text, scratch->data, size);
    return put_encoded(url, (struct recourse_span){scratch->data, size});
}

static int put_pairs(struct rcs_buffer *url, struct recourse_span arguments, char joint, struct rcs_buffer *scratch)
{
    struct recourse_span key;
    struct recourse_span value;
    size_t walk = 0;
    int code = 0;

    while (code == 0 && rcs_json_next(arguments, &walk, &key, &value)) {
        code = joint != '\0' ? rcs_buffer_append_byte(url, joint) : 0;
        code = code == 0 ? put_value(url, key, scratch) : code;
        code = code == 0 ? rcs_buffer_append_byte(url, '=') : code;
        code = code == 0 ? put_value(url, value, scratch) : code;
        joint = '&';
    }
    return code;
}

static int put_query(struct rcs_buffer *url, const char *base, struct recourse_span arguments)
{
    struct rcs_buffer scratch;
    const char *query = strchr(base, '?');
    char joint = '?';
    int code;

    if (query != NULL) {
        joint = query[1] == '\0' || base[strlen(base) - 1] == '&' ? '\0' : '&';
    }
    rcs_buffer_init(&scratch, url->allocator, URL_MAX);
    code = rcs_buffer_append_text(url, base);
    code = code == 0 ? put_pairs(url, arguments, joint, &scratch) : code;
    rcs_buffer_clear(&scratch);
    return code;
}

static size_t count_headers(const struct rcs_tool *tool)
{
    size_t count = 0;

    while (tool->config.headers != NULL && tool->config.headers[count] != NULL) {
        count++;
    }
    return count;
}

static void put_try(char *text, unsigned number)
{
    char digits[10];
    size_t count = 0;

    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    memcpy(text, TRY_HEADER, sizeof TRY_HEADER - 1);
    text += sizeof TRY_HEADER - 1;
    while (count > 0) {
        *text++ = digits[--count];
    }
    *text = '\0';
}

static void fill_headers(struct http_try *try, const struct rcs_try_order *order)
{
    const struct rcs_tool *tool = order->tool;
    size_t count = count_headers(tool);

    for (size_t i = 0; i < count; i++) {
        try->headers[i] = tool->config.headers[i];
    }
    if (!tool->has_query && !(tool->own_headers & RCS_OWN_CONTENT_TYPE)) {
        try->headers[count++] = "Content-Type: application/json";
    }
    if (!(tool->own_headers & RCS_OWN_ACCEPT)) {
        try->headers[count++] = "Accept: application/json, */*;q=0.5";
    }
    if (!(tool->own_headers & RCS_OWN_KEY)) {
        memcpy(try->key, KEY_HEADER, sizeof KEY_HEADER - 1);
        rcs_tool_key(order->key, try->key + sizeof KEY_HEADER - 1);
        try->headers[count++] = try->key;
    }
    if (!(tool->own_headers & RCS_OWN_TRY)) {
        put_try(try->number, order->number);
        try->headers[count++] = try->number;
    }
    if (!(tool->own_headers & RCS_OWN_TRACE)) {
        count += rcs_try_trace_lines(order->trace, try->headers + count);
    }
    try->headers[count] = NULL;
}

/* Replies count against the runner's bound as they come in. */
static bool keep_body(void *user, size_t size)
{
    struct http_try *try = user;

    return rcs_claim_more(try->host->room, &try->claim, size);
}

static void resume(struct rcs_claim *claim)
{
    struct http_try *try = RCS_OWNER(claim, struct http_try, claim);

    try->host->port->http_resume(try->host->port->self, try->transfer);
}

static int fill_request(struct http_try *try, const struct rcs_try_order *order)
{
    const struct recourse_tool *config = &order->tool->config;
    struct recourse_http_request *request = &try->request;
    int code = 0;

    fill_headers(try, order);
    request->method = config->method;
    request->url = config->url;
    request->proxy = config->proxy;
    request->ca_file = config->ca_file;
    request->headers = try->headers;
    request->connect_timeout_ms = config->connect_timeout_ms;
    request->read_timeout_ms = config->read_timeout_ms;
    request->deadline_ms = order->deadline_ms;
    request->body_max = try->host->body_max;
    request->keep = keep_body;
    if (!order->tool->has_query) {
        request->body = order->arguments;
        return 0;
    }
    code = put_query(&try->url, config->url, order->arguments);
    request->url = try->url.data;
    rcs_claim_set(try->host->room, &try->claim, try->url.size);
    return code;
}

/* ---- the answer ---- */

static struct recourse_span span_of(const char *text)
{
    return (struct recourse_span){text, strlen(text)};
}

void rcs_http_read_answer(const struct recourse_http_response *response, struct recourse_facts *facts)
{
    bool whole = response->network == 0 && response->timeout == 0 && !response->protocol && !response->too_large;

    memset(facts, 0, sizeof *facts);
    facts->http = response->status;
    facts->network = response->network;
    facts->timeout = response->timeout;
    facts->unsent = !response->sent;
    facts->protocol = response->protocol;
    facts->too_large = response->too_large;
    facts->wall_s = response->wall_s;
    facts->headers = response->headers;
    facts->header_count = response->header_count;
    facts->phrase = response->phrase;
    if (facts->phrase.size == 0 && response->status != 0) { /* HTTP/2 has none */
        facts->phrase = span_of(rcs_http_phrase(response->status));
    }
    if (!whole && response->detail != NULL) {
        facts->detail = span_of(response->detail);
    } else if (whole && response->status >= 200 && response->status <= 299) {
        facts->result = response->body;
        facts->structured = response->body;
    } else if (whole) {
        facts->text = response->body;
    }
}

static void free_try(struct http_try *try)
{
    rcs_claim_end(try->host->room, &try->claim);
    rcs_buffer_clear(&try->url);
    rcs_free(try->host->allocator, try);
}

static void answered(void *user, const struct recourse_http_response *response)
{
    struct http_try *try = user;
    struct recourse_facts facts;

    rcs_http_read_answer(response, &facts);
    rcs_claim_end(try->host->room, &try->claim); /* whoever keeps the answer counts it anew */
    try->ended(try->user, &facts);
    free_try(try);
}

static int start(const struct rcs_tool_host *host, const struct rcs_try_order *order, struct rcs_try **out)
{
    size_t header_room = count_headers(order->tool) + HEADERS_OWN + 1;
    struct http_try *try = rcs_alloc_zero(host->allocator, sizeof *try + header_room * sizeof(char *));
    int code;

    if (try == NULL) {
        return RECOURSE_E_MEMORY;
    }
    try->base.kind = &rcs_kind_http;
    try->host = host;
    try->ended = order->ended;
    try->user = order->user;
    rcs_claim_init(&try->claim, host->port->http_resume != NULL ? resume : NULL);
    rcs_buffer_init(&try->url, host->allocator, URL_MAX);
    code = fill_request(try, order);
    if (code == 0) {
        code = host->port->http_start(host->port->self, &try->request, answered, try, &try->transfer);
    }
    if (code != 0) {
        free_try(try);
        return code;
    }
    *out = &try->base;
    return 0;
}

static enum rcs_stopped stop(struct rcs_try *base)
{
    struct http_try *try = (struct http_try *)base;
    bool sent = try->host->port->http_cancel(try->host->port->self, try->transfer);

    free_try(try);
    return sent ? RCS_STOPPED_TOUCHED : RCS_STOPPED_UNTOUCHED;
}

/* Never called: a stopped exchange is gone. */
static void forget(struct rcs_try *base)
{
    (void)base;
}

const struct rcs_kind rcs_kind_http = {
    .name = "http",
    .keeps_deadline = true,
    .check = check,
    .start = start,
    .stop = stop,
    .forget = forget,
};
