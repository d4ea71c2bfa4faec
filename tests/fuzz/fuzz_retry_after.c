/* Delays that servers ask for: up to three headers, a line each, `name: value`; the first line is our own clock. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <recourse/call.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct recourse_span line_of(const char **at, const char *end)
{
    const char *const begin = *at;
    const char *const stop = begin < end ? memchr(begin, '\n', (size_t)(end - begin)) : NULL;

    *at = stop != NULL ? stop + 1 : end;
    return (struct recourse_span){begin, (size_t)((stop != NULL ? stop : end) - begin)};
}

static struct recourse_header header_of(struct recourse_span line)
{
    const char *const colon = line.size > 0 ? memchr(line.data, ':', line.size) : NULL;
    const size_t name = colon != NULL ? (size_t)(colon - line.data) : line.size;
    const size_t skip = colon != NULL ? name + 1 : name;

    return (struct recourse_header){{line.data, name}, {line.data + skip, line.size - skip}};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint64_t schedule_ms[] = {1000};
    static const struct recourse_wait obey = {.id = "w", .delays_ms = schedule_ms, .delay_count = 1,
                                              .server = RECOURSE_SERVER_OBEY_ELSE_STOP,
                                              .server_ms = RECOURSE_DURATION_MAX_MS, .server_percent = 100};
    const char *at = (const char *)data;
    const char *const end = size > 0 ? at + size : at;
    struct recourse_header headers[3];
    struct recourse_facts facts = {.http = 429, .headers = headers};
    struct recourse_window window;
    struct recourse_span clock;
    uint64_t delay_ms;

    if (size == 0) {
        return 0;
    }
    clock = line_of(&at, end);
    for (size_t i = 0; i < clock.size && clock.data[i] >= '0' && clock.data[i] <= '9'; i++) {
        facts.wall_s = facts.wall_s * 10 + (uint64_t)(clock.data[i] - '0');
    }
    while (facts.header_count < 3 && at < end) {
        headers[facts.header_count++] = header_of(line_of(&at, end));
    }
    delay_ms = recourse_server_delay(&facts);
    recourse_wait_window(&obey, 0, delay_ms, &window);
    if (delay_ms > (uint64_t)RECOURSE_DURATION_MAX_MS + 1 || window.min_ms > window.max_ms ||
        window.stop != (delay_ms > RECOURSE_DURATION_MAX_MS) ||
        window.max_ms > 2 * (uint64_t)RECOURSE_DURATION_MAX_MS) {
        abort();
    }
    return 0;
}
