/* Servers that mean harm: answers that never end, that are not what they claim, or that are somebody else's. */
#include <curl/curl.h>

#include "tests/run/bomb.h"
#include "tests/run/hostile.h"
#include "tests/server/faulty.h"
#include "tests/unit/unit.h"

#define BODY_MAX 65536u
#define SCRIPT_MAX 8192u

/* What most of them come to: it was sent, so nobody knows; safe tools try once more. */
#define UNKNOWN "D8 unknown: A12 check to model, 1"
#define UNKNOWN_SAFE "D8 unknown: A6 A6 E4 check to model, 2"
#define LARGE "D12 unknown: A11 failed to model, 1"
#define DONE "- done: A1 ok to model, 1"
#define OK "raw='HTTP/1.1 200 OK\\r\\n"
#define CHUNKED OK "Transfer-Encoding: chunked\\r\\n\\r\\n"

static const struct rcs_hostile_case cases[] = {
    /* slow, or without end */
    {"one byte at a time", .script = "200 body=slowly trickle=100", .timeout_ms = 600, .read_timeout_ms = 500,
     .facts = "total", .unsafe = UNKNOWN, .safe = UNKNOWN_SAFE},
    {"nothing", .script = "hang=before", .timeout_ms = 400, .facts = "total", .unsafe = UNKNOWN, .safe = UNKNOWN_SAFE},
    {"never closing", .script = OK "\\r\\nhalf' hang=after", .read_timeout_ms = 300, .facts = "read 200", .unsafe = UNKNOWN,
     .safe = UNKNOWN_SAFE},
    {"whole, never closing", .script = OK "Connection: close\\r\\nContent-Length: 2\\r\\n\\r\\nok' hang=after",
     .facts = "200", .unsafe = DONE, .safe = DONE},
    {"endless header", .script = OK "' endless='a: b\\r\\n'", .facts = "large 200", .unsafe = LARGE, .safe = LARGE},
    {"endless line", .script = OK "a: ' endless='bbbbbbbbbbbbbbbb'", .facts = "large 200", .unsafe = LARGE, .safe = LARGE},
    {"endless folded line", .script = OK "a: b\\r\\n' endless=' b\\r\\n'", .facts = "large 200", .unsafe = LARGE, .safe = LARGE},
    {"endless status line", .script = "raw='HTTP/1.1 200 ' endless='OK'", .facts = "large", .unsafe = LARGE, .safe = LARGE},
    {"endless interim answers", .script = "raw='' endless='HTTP/1.1 103 Early Hints\\r\\nLink: </x>\\r\\n\\r\\n'",
     .facts = "large 103", .unsafe = LARGE, .safe = LARGE},
    {"slow interim answers", .script = "raw='' endless='HTTP/1.1 100 Continue\\r\\n\\r\\n' trickle=10", .timeout_ms = 700,
     .read_timeout_ms = 600, .facts = "total 100", .unsafe = UNKNOWN, .safe = UNKNOWN_SAFE},
    {"endless body", .script = OK "\\r\\n' endless='xxxxxxxx'", .facts = "large 200", .unsafe = LARGE, .safe = LARGE},
    {"endless chunks", .script = CHUNKED "' endless='1\\r\\nx\\r\\n'", .facts = "large 200", .unsafe = LARGE, .safe = LARGE},
    {"endless chunk extension", .script = CHUNKED "5;' endless='x=yyyyyyyyyyyyy;'", .timeout_ms = 400, .read_timeout_ms = 300,
     .facts = "total 200", .unsafe = UNKNOWN, .safe = UNKNOWN_SAFE},
    {"endless chunk size", .script = CHUNKED "' endless='0'", .facts = "protocol 200", .unsafe = UNKNOWN, .safe = UNKNOWN_SAFE},
    {"endless trailers", .script = CHUNKED "2\\r\\nok\\r\\n0\\r\\n' endless='a: b\\r\\n'", .facts = "large 200",
     .unsafe = LARGE, .safe = LARGE, .says = "header"},
    {"endless trailer", .script = CHUNKED "2\\r\\nok\\r\\n0\\r\\na: ' endless='bbbbbbbb'", .facts = "protocol 200",
     .unsafe = UNKNOWN, .safe = UNKNOWN_SAFE},
    {"endless events", .script = OK "Content-Type: text/event-stream\\r\\n\\r\\n' endless='data: x\\n\\n'",
     .facts = "large 200", .unsafe = LARGE, .safe = LARGE}, /* of a tool that is no MCP server's */
    {"a length of 8 EiB", .script = OK "Content-Length: 9223372036854775807\\r\\n\\r\\n' endless='x'", .facts = "large 200",
     .unsafe = LARGE, .safe = LARGE},
    {"a length beyond all numbers", .script = OK "Content-Length: 99999999999999999999\\r\\n\\r\\n' endless='x'",
     .facts = "large 200", .unsafe = LARGE, .safe = LARGE},
    {"a body that is cut", .script = "200 body=x length=9 close=after", .facts = "closed 200", .unsafe = UNKNOWN, .safe = UNKNOWN_SAFE},
    {"two lengths", .script = "200 body=ok header='Content-Length: 1'", .facts = "protocol 200", .unsafe = UNKNOWN,
     .safe = UNKNOWN_SAFE, .says = "two lengths"},
    {"a negative length", .script = OK "Content-Length: -5\\r\\n\\r\\n' hang=after", .facts = "protocol 200", .unsafe = UNKNOWN,
     .safe = UNKNOWN_SAFE},
    {"another protocol, unasked", .script = "raw='HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\n\\r\\n' hang=after",
     .read_timeout_ms = 300, .facts = "read 101", .unsafe = UNKNOWN, .safe = UNKNOWN_SAFE},
    {"no HTTP", .script = "raw='' endless='SSH-2.0 '", .facts = "protocol", .unsafe = UNKNOWN, .safe = UNKNOWN_SAFE},
    /* encodings that nobody asked for, and ones that were */
    {"unknown encoding", .script = "200 header='Content-Encoding: rot13' body=uryyb", .facts = "protocol 200", .unsafe = UNKNOWN,
     .safe = UNKNOWN_SAFE},
    {"no gzip", .script = "200 header='Content-Encoding: gzip' body=hello", .facts = "protocol 200", .unsafe = UNKNOWN,
     .safe = UNKNOWN_SAFE},
    {"zstd, with a window of 128 MiB", .script = OK "Content-Encoding: zstd\\r\\n\\r\\n\\x28\\xb5\\x2f\\xfd\\x00\\x88' endless='\\x02\\x00\\x10x'",
     .facts = "protocol 200", .unsafe = UNKNOWN, .safe = UNKNOWN_SAFE},
    {"br", .script = "200 header='Content-Encoding: br' body='\\x0b\\x02\\x80hello\\x03'", .facts = "protocol 200", .unsafe = UNKNOWN,
     .safe = UNKNOWN_SAFE, .says = "not asked for"},
    {"identity", .script = "200 header='Content-Encoding: identity' body=ok", .facts = "200", .unsafe = DONE, .safe = DONE},
};

static void run_all(const struct rcs_hostile_case *list, size_t count)
{
    const struct rcs_hostile_options options = {.body_max = BODY_MAX};
    struct rcs_hostile_peer peers[RCS_HOSTILE_MAX];

    CU_ASSERT_TRUE_FATAL(rcs_hostile_serve(list, peers, count));
    rcs_hostile_run(list, peers, count, &options);
    rcs_hostile_stop(peers, count);
}

static void test_cases(void)
{
    run_all(cases, RCS_COUNT(cases));
}

/* An encoding that the configuration of a tool has asked for by its own header. */
static void test_named_encodings(void)
{
    static const char *const headers[] = {"Accept-Encoding: br", NULL};
    static const struct rcs_hostile_case named[] = {
        {"br", .script = "200 header='Content-Encoding: br' body='\\x0b\\x02\\x80hello\\x03'", .headers = headers, .facts = "200",
         .unsafe = DONE, .safe = DONE},
        {"br, twice", .script = "200 header='Content-Encoding: br, br' body='\\x0b\\x02\\x80hello\\x03'", .headers = headers,
         .facts = "protocol 200", .unsafe = UNKNOWN, .safe = UNKNOWN_SAFE, .says = "more than once"},
    };
    bool brotli = (curl_version_info(CURLVERSION_NOW)->features & CURL_VERSION_BROTLI) != 0;

    run_all(named + !brotli, RCS_COUNT(named) - !brotli);
}

/* gzip within gzip: a few kilobytes of it keep a client busy for hours. */
static void test_bombs(void)
{
    static const struct {
        const char *header; /* lines before the encoded body */
        unsigned layers;
        int empty;
        const char *facts, *unsafe, *safe;
    } bombs[] = {
        {"Content-Encoding: gzip\\r\\n", 1, 0, "large 200", LARGE, LARGE},
        {"Content-Encoding: gzip, gzip\\r\\n", 2, 0, "protocol 200", UNKNOWN, UNKNOWN_SAFE},
        {"Content-Encoding: gzip,gzip, gzip ,gzip\\r\\n", 4, 1, "protocol 200", UNKNOWN, UNKNOWN_SAFE},
        {"Content-Encoding: gzip\\r\\nContent-Encoding: gzip\\r\\nContent-Encoding: gzip\\r\\nContent-Encoding: gzip\\r\\n", 4, 1,
         "protocol 200", UNKNOWN, UNKNOWN_SAFE},
        {"Transfer-Encoding: gzip\\r\\n", 1, 0, "protocol 200", UNKNOWN, UNKNOWN_SAFE},
        {"Transfer-Encoding: gzip\\r\\nContent-Encoding: gzip\\r\\n", 2, 1, "protocol 200", UNKNOWN, UNKNOWN_SAFE},
    };
    static char scripts[RCS_COUNT(bombs)][SCRIPT_MAX];
    struct rcs_hostile_case list[RCS_COUNT(bombs)];

    for (size_t i = 0; i < RCS_COUNT(bombs); i++) {
        struct rcs_bomb bomb;
        char head[512];

        rcs_bomb_gzip(&bomb, bombs[i].layers, bombs[i].empty);
        snprintf(head, sizeof head, "HTTP/1.1 200 OK\\r\\n%s\\r\\n", bombs[i].header);
        rcs_bomb_words(&bomb, head, scripts[i], SCRIPT_MAX);
        list[i] = (struct rcs_hostile_case){bombs[i].header, .script = scripts[i], .facts = bombs[i].facts,
                                            .unsafe = bombs[i].unsafe, .safe = bombs[i].safe};
    }
    run_all(list, RCS_COUNT(list));
}

/* Other places that an answer names are never asked: not with what is in the headers, and not without. */
static void test_redirects(void)
{
    static const char *const headers[] = {"Authorization: Bearer secret", "Cookie: a=b", NULL};
    static const struct {
        const char *status, *place; /* a printf format for the port of the other server */
        const char *end;
    } answers[] = {
        {"301", "http://127.0.0.1:%u/", "D14 unknown: A13 check to model, 1"},
        {"302", "http://localhost:%u/", "D14 unknown: A13 check to model, 1"},
        {"303", "//127.0.0.1:%u/", "D14 unknown: A13 check to model, 1"},
        {"307", "https://127.0.0.1:%u/", "D14 unknown: A13 check to model, 1"},
        {"308", "http://user:password@127.0.0.1:%u/", "D14 unknown: A13 check to model, 1"},
        {"302", "file:///etc/passwd?%u", "D14 unknown: A13 check to model, 1"},
        {"302", "?again=%u", "D14 unknown: A13 check to model, 1"}, /* to itself */
        {"300", "http://127.0.0.1:%u/", "D14 unknown: A13 check to model, 1"},
        {"305", "http://127.0.0.1:%u/", "D14 unknown: A13 check to model, 1"},
        {"201", "http://127.0.0.1:%u/", DONE},
    };
    static char scripts[RCS_COUNT(answers)][SCRIPT_MAX];
    struct rcs_hostile_case list[RCS_COUNT(answers)];
    struct rcs_faulty *other = rcs_faulty_new();

    CU_ASSERT_PTR_NOT_NULL_FATAL(other);
    RCS_EQUAL(rcs_faulty_start(other), 0);
    for (size_t i = 0; i < RCS_COUNT(answers); i++) {
        char place[128];

        list[i] = (struct rcs_hostile_case){answers[i].place, .headers = headers, .script = scripts[i], .facts = answers[i].status,
                                            .unsafe = answers[i].end, .safe = answers[i].end};

        snprintf(place, sizeof place, answers[i].place, rcs_faulty_port(other));
        snprintf(scripts[i], SCRIPT_MAX,
                 "%s header='Location: %s' header='Refresh: 0; url=%s' header='Alt-Svc: http/1.1=\":%u\"'",
                 answers[i].status, place, place, rcs_faulty_port(other));
    }
    run_all(list, RCS_COUNT(list));
    RCS_EQUAL(rcs_faulty_count(other, NULL), 0);
    rcs_faulty_free(other);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"answers without end, and ones that are none", test_cases},
        {"encodings that were named", test_named_encodings},
        {"redirects", test_redirects},
        {"gzip within gzip", test_bombs},
    };

    return rcs_unit_main_with_port("hostile", tests, RCS_COUNT(tests));
}
