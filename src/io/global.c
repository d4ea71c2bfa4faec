/*
 * libcurl's own beginning. It costs some 2 MiB, mostly for TLS, and who talks with programs only has no use for it: where libcurl can
 * do it at any time (7.84.0), it waits for the first exchange.
 */
#include <pthread.h>

#include "src/io/http.h"

#define DEFERRED (LIBCURL_VERSION_NUM >= 0x075400)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned wanted; /* how often it was asked for */
static bool begun;

static int begin(void)
{
    begun = begun || curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
    return begun ? 0 : RECOURSE_E_SYSTEM;
}

int rcs_global_begin(void)
{
    int code;

    pthread_mutex_lock(&lock);
    code = wanted > 0 ? begin() : 0; /* else the host has done it */
    pthread_mutex_unlock(&lock);
    return code;
}

int recourse_global_init(void)
{
    int code;

    pthread_mutex_lock(&lock);
    code = DEFERRED ? 0 : begin();
    wanted += code == 0;
    pthread_mutex_unlock(&lock);
    return code;
}

void recourse_global_cleanup(void)
{
    pthread_mutex_lock(&lock);
    wanted -= wanted > 0;
    if (wanted == 0 && begun) {
        curl_global_cleanup();
        begun = false;
    }
    pthread_mutex_unlock(&lock);
}
