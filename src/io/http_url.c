/*
 * URLs that libcurl has read. Reading one costs a tenth of an exchange, and a tool's is the same each time, so that the
 * last few are kept; exchanges under way hold theirs.
 */
#include "src/io/http.h"

#include "src/io/memory.h"

struct rcs_url {
    CURLU *parts;
    unsigned holders; /* the table counts as one */
    bool plain;
    char text[];
};

static int read_url(const char *text, CURLU **parts, bool *plain)
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
    if (code != 0) {
        curl_url_cleanup(url);
        return code;
    }
    *parts = url;
    return 0;
}

/* FNV-1a. */
static struct rcs_url **place_of(struct rcs_http *http, const char *text)
{
    uint32_t hash = 0x811c9dc5u;

    for (const char *c = text; *c != '\0'; c++) {
        hash = (hash ^ (unsigned char)*c) * 0x01000193u;
    }
    return &http->urls[hash % RCS_HTTP_URLS_MAX];
}

int rcs_url_hold(struct rcs_http *http, const char *text, struct rcs_url **out)
{
    struct rcs_url **place = place_of(http, text);
    size_t size = strlen(text) + 1;
    struct rcs_url *url = *place;
    int code;

    if (url != NULL && strcmp(url->text, text) == 0) {
        url->holders++;
        *out = url;
        return 0;
    }
    url = rcs_alloc(http->allocator, sizeof *url + size);
    if (url == NULL) {
        return RECOURSE_E_MEMORY;
    }
    code = read_url(text, &url->parts, &url->plain);
    if (code != 0) {
        rcs_free(http->allocator, url);
        return code;
    }
    memcpy(url->text, text, size);
    url->holders = 2;
    rcs_url_release(http, *place);
    *place = url;
    *out = url;
    return 0;
}

void rcs_url_release(struct rcs_http *http, struct rcs_url *url)
{
    if (url != NULL && --url->holders == 0) {
        curl_url_cleanup(url->parts);
        rcs_free(http->allocator, url);
    }
}

bool rcs_url_is_plain(const struct rcs_url *url)
{
    return url->plain;
}

CURLU *rcs_url_parts(const struct rcs_url *url)
{
    return url->parts;
}

void rcs_urls_clear(struct rcs_http *http)
{
    for (size_t i = 0; i < RCS_HTTP_URLS_MAX; i++) {
        rcs_url_release(http, http->urls[i]);
        http->urls[i] = NULL;
    }
}
