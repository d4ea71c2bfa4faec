/* The modern era (2026-07-28), strictly: what a request has to bear, and what results bear more. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tests/server/mcp_parts.h"

#define META "io.modelcontextprotocol/"

static const char current[] = "2026-07-28";

static bool is_era(const struct rcs_mcp *mcp, const char *era)
{
    const struct rcs_part *part = rcs_mcp_setting(mcp, RCS_W_ERA);

    return part != NULL && strcmp(part->text.data, era) == 0;
}

static struct rcs_json_text meta_of(const struct rcs_mcp_exchange *exchange, const char *name)
{
    return rcs_json_find(rcs_json_find(exchange->message.params, "_meta"), name);
}

bool rcs_mcp_modern(const struct rcs_mcp_exchange *exchange)
{
    return is_era(exchange->mcp, "modern") ||
           (is_era(exchange->mcp, "dual") && meta_of(exchange, META "protocolVersion").data != NULL);
}

static char *refusal(const struct rcs_mcp_exchange *exchange, int code, const char *text, const char *data)
{
    const char *id = exchange->message.id;
    struct rcs_bytes out = {0};

    rcs_bytes_format(&out, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":%d,\"message\":\"%s\"%s%s}}",
                     id[0] == '\0' ? "null" : id, code, text, data[0] == '\0' ? "" : ",\"data\":", data);
    return out.data;
}

/* ---- headers ---- */

static int digit(char byte)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = byte == '\0' ? NULL : strchr(digits, byte);

    return at == NULL ? -1 : (int)(at - digits);
}

/* A header's value, on the heap, out of its base64 if it is in that. */
static char *decoded(const char *value)
{
    size_t size = strlen(value);
    struct rcs_bytes out = {0};
    unsigned word = 0;
    unsigned bits = 0;

    if (size < 11 || strncmp(value, "=?base64?", 9) != 0 || strcmp(value + size - 2, "?=") != 0) {
        return rcs_must_copy(value, size);
    }
    rcs_bytes_add(&out, "", 0);
    for (size_t i = 9; i + 2 < size && digit(value[i]) >= 0; i++) {
        word = word << 6 | (unsigned)digit(value[i]);
        bits += 6;
        if (bits >= 8) {
            char byte = (char)(word >> (bits - 8) & 0xff);
            rcs_bytes_add(&out, &byte, 1);
            bits -= 8;
        }
    }
    return out.data;
}

/* Whether the header says what the body does; NULL: it may not be there. */
static bool mirrors(const struct rcs_mcp_exchange *exchange, const char *name, const char *expected)
{
    const char *value = rcs_faulty_header(exchange->request, name);
    char *plain;
    bool same;

    if (value == NULL || expected == NULL) {
        return value == NULL && expected == NULL;
    }
    plain = decoded(value);
    same = strcmp(plain, expected) == 0;
    free(plain);
    return same;
}

/* The parameters that the tool's schema marks. */
static bool mirrors_params(const struct rcs_mcp_exchange *exchange)
{
    struct rcs_json_text arguments = rcs_json_find(exchange->message.params, "arguments");
    struct rcs_json_text properties = rcs_mcp_listed_properties(exchange->mcp, exchange->message.tool);
    struct rcs_json_text key;
    struct rcs_json_text value;
    bool good = true;
    size_t at = 0;

    while (good && rcs_json_step(properties, &at, &key, &value)) {
        char *mark = rcs_json_plain(rcs_json_find(value, "x-mcp-header"));
        char *name = rcs_json_plain(key);
        struct rcs_json_text argument = rcs_json_find(arguments, name);
        char *text = rcs_json_plain(argument);
        char header[128];

        snprintf(header, sizeof header, "Mcp-Param-%s", mark);
        good = mark[0] == '\0' || mirrors(exchange, header, argument.data == NULL || strcmp(text, "null") == 0 ? NULL : text);
        free(mark);
        free(name);
        free(text);
    }
    return good;
}

static bool good_headers(const struct rcs_mcp_exchange *exchange, const char *version)
{
    bool calls = strcmp(exchange->message.method, "tools/call") == 0;

    return mirrors(exchange, "MCP-Protocol-Version", version) &&
           mirrors(exchange, "Mcp-Method", exchange->message.method) &&
           mirrors(exchange, "Mcp-Name", calls ? exchange->message.tool : NULL) && (!calls || mirrors_params(exchange));
}

/* ---- requests ---- */

static bool is_known(const struct rcs_mcp *mcp, const char *method)
{
    static const char *const methods[] = {"server/discover", "tools/list", "tools/call"};
    struct rcs_bytes what = {0};
    bool known;

    rcs_bytes_format(&what, "@%s", method);
    known = rcs_mcp_has_script(mcp, what.data);
    rcs_bytes_clear(&what);
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        known = known || strcmp(methods[i], method) == 0;
    }
    return known;
}

static char *refuse_version(const struct rcs_mcp_exchange *exchange, const char *asked, const char *only, size_t *status)
{
    char data[256];

    *status = 400;
    snprintf(data, sizeof data, "{\"supported\":[\"%s\"],\"requested\":\"%s\"}", only, asked);
    return refusal(exchange, -32022, "Unsupported protocol version", data);
}

static char *refuse_request(const struct rcs_mcp_exchange *exchange, const char *version, size_t *status)
{
    const struct rcs_part *fixed = rcs_mcp_setting(exchange->mcp, RCS_W_VERSION);
    const char *only = fixed == NULL ? current : fixed->text.data;
    struct rcs_json_text capabilities = meta_of(exchange, META "clientCapabilities");

    *status = 400;
    if (strcmp(exchange->message.method, "initialize") == 0) {
        return refuse_version(exchange, "", only, status);
    }
    if (version[0] == '\0' || capabilities.data == NULL || capabilities.data[0] != '{') {
        return refusal(exchange, -32602, "Invalid params: _meta", "");
    }
    if (exchange->request != NULL && !good_headers(exchange, version)) {
        return refusal(exchange, -32020, "Header mismatch", "");
    }
    if (strcmp(version, only) != 0) {
        return refuse_version(exchange, version, only, status);
    }
    *status = 404;
    return is_known(exchange->mcp, exchange->message.method) ? NULL : refusal(exchange, -32601, "Method not found", "");
}

char *rcs_mcp_modern_refuse(const struct rcs_mcp_exchange *exchange, size_t *status)
{
    char *version = rcs_json_plain(meta_of(exchange, META "protocolVersion"));
    char *body = exchange->message.kind == RCS_MESSAGE_REQUEST ? refuse_request(exchange, version, status) : NULL;

    if (exchange->message.kind == RCS_MESSAGE_RESPONSE) { /* clients have nothing to answer */
        *status = 400;
        body = refusal(exchange, -32600, "Invalid Request", "");
    }
    free(version);
    return body;
}

/* ---- results ---- */

char *rcs_mcp_modern_discover(void)
{
    static const char result[] = "{\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{\"tools\":{}},"
                                 "\"_meta\":{\"io.modelcontextprotocol/serverInfo\":{\"name\":\"scripted\",\"version\":\"1\"}}}";

    return rcs_must_copy(result, sizeof result - 1);
}

char *rcs_mcp_modern_stamp(const struct rcs_mcp_exchange *exchange, char *body)
{
    static const char open[] = "\"result\":{";
    char *at = body == NULL || strstr(body, "\"resultType\"") != NULL ? NULL : strstr(body, open);
    bool calls = strcmp(exchange->message.method, "tools/call") == 0;
    struct rcs_bytes out = {0};

    if (at == NULL) {
        return body;
    }
    at += sizeof open - 1;
    rcs_bytes_add(&out, body, (size_t)(at - body));
    rcs_bytes_format(&out, "\"resultType\":\"complete\"%s%s", calls ? "" : ",\"ttlMs\":0,\"cacheScope\":\"private\"",
                     *at == '}' ? "" : ",");
    rcs_bytes_add(&out, at, strlen(at));
    free(body);
    return out.data;
}
