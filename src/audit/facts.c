#include "src/audit/facts.h"

#include <stdio.h>
#include <string.h>

#include "src/core/atoms.h"

const char *rcs_network_name(unsigned network)
{
    static const char *const names[RECOURSE_NETWORK_COUNT] = {NULL,  "refused", "unreachable", "dns",
                                                              "tls", "reset",   "closed",      "other"};

    return network < RECOURSE_NETWORK_COUNT ? names[network] : NULL;
}

const char *rcs_timeout_name(unsigned timeout)
{
    static const char *const names[RECOURSE_TIMEOUT_COUNT] = {NULL, "connect", "read", "total", "other"};

    return timeout < RECOURSE_TIMEOUT_COUNT ? names[timeout] : NULL;
}

const char *rcs_reminder_name(unsigned reminder)
{
    static const char *const names[RECOURSE_REMINDER_COUNT] = {"-", "no", "yes"};

    return names[reminder];
}

enum rcs_key rcs_content_key(enum rcs_content content)
{
    static const enum rcs_key of[RCS_CONTENT_COUNT] = {
        [RCS_CONTENT_PHRASE] = RCS_KEY_PHRASE,         [RCS_CONTENT_TEXT] = RCS_KEY_TEXT,
        [RCS_CONTENT_JSON] = RCS_KEY_JSON,             [RCS_CONTENT_RESULT] = RCS_KEY_RESULT,
        [RCS_CONTENT_STRUCTURED] = RCS_KEY_STRUCTURED,
    };

    return of[content];
}

struct recourse_span rcs_content_of(const struct recourse_facts *facts, enum rcs_content content)
{
    switch (content) {
    case RCS_CONTENT_PHRASE: return facts->phrase;
    case RCS_CONTENT_TEXT: return facts->text;
    case RCS_CONTENT_JSON: return facts->json;
    case RCS_CONTENT_RESULT: return facts->result;
    default: return facts->structured;
    }
}

/* The conditions that are met, written as "F1.2 F3.1". */
struct atoms {
    const struct recourse_policy *policy;
    char *text;
    size_t used;
    bool full;
};

static void add_atom(void *user, uint16_t row, uint16_t atom)
{
    struct atoms *atoms = user;
    size_t room = RCS_ATOMS_TEXT_MAX - atoms->used;
    int size = snprintf(atoms->text + atoms->used, room, "%s%s.%u", atoms->used == 0 ? "" : " ",
                        atoms->policy->fact_rows[row].id, atom + 1u);

    if (size < 0 || (size_t)size >= room) {
        atoms->full = true;
        return;
    }
    atoms->used += (size_t)size;
}

static void record_hashes(struct rcs_record *record, const struct rcs_salted *salted,
                          const struct recourse_facts *facts, struct rcs_facts_room *room)
{
    uint8_t mac[RCS_HASH_SIZE];
    char *hex = room->hashes[RCS_CONTENT_COUNT];

    for (unsigned i = 0; i < RCS_CONTENT_COUNT; i++) {
        enum rcs_key key = rcs_content_key((enum rcs_content)i);
        struct recourse_span text = rcs_content_of(facts, (enum rcs_content)i);

        if (text.size == 0) {
            continue;
        }
        rcs_mac(salted, rcs_key_name(key), text, mac);
        rcs_hex_write(mac, sizeof mac, room->hashes[i]);
        rcs_record_span(record, key, (struct recourse_span){room->hashes[i], sizeof room->hashes[i]});
    }
    if (facts->header_count > 0) {
        rcs_mac_headers(salted, facts->headers, facts->header_count, mac);
        rcs_hex_write(mac, sizeof mac, hex);
        rcs_record_span(record, RCS_KEY_HEADERS, (struct recourse_span){hex, 2 * sizeof mac});
    }
}

static void record_plain(struct rcs_record *record, const struct recourse_facts *facts, struct rcs_facts_room *room)
{
    if (facts->http != 0) {
        rcs_record_number(record, RCS_KEY_HTTP, facts->http);
    }
    rcs_record_text(record, RCS_KEY_NETWORK, rcs_network_name(facts->network));
    rcs_record_text(record, RCS_KEY_TIMEOUT, rcs_timeout_name(facts->timeout));
    rcs_record_flag(record, RCS_KEY_UNSENT, facts->unsent);
    rcs_record_flag(record, RCS_KEY_INTERRUPTED, facts->interrupted);
    rcs_record_flag(record, RCS_KEY_TOOL_ERROR, facts->tool_error);
    rcs_record_flag(record, RCS_KEY_SESSION_EXPIRED, facts->session_expired);
    rcs_record_flag(record, RCS_KEY_PROTOCOL, facts->protocol);
    rcs_record_flag(record, RCS_KEY_TOO_LARGE, facts->too_large);
    rcs_record_flag(record, RCS_KEY_SPAWN, facts->spawn);
    if (facts->has_exit) {
        rcs_record_signed(record, RCS_KEY_EXIT, facts->exit_status);
    }
    if (facts->signal != 0) {
        rcs_record_signed(record, RCS_KEY_SIGNAL, facts->signal);
    }
    if (facts->has_rpc) {
        snprintf(room->rpc, sizeof room->rpc, "%lld", (long long)facts->rpc);
        rcs_record_text(record, RCS_KEY_RPC, room->rpc);
    }
    if (facts->wall_s != 0) {
        rcs_record_number(record, RCS_KEY_WALL, facts->wall_s);
    }
}

bool rcs_facts_record(struct rcs_record *record, const struct rcs_salted *salted, const struct recourse_policy *policy,
                      const struct recourse_facts *facts, uint16_t fact_row, struct rcs_facts_room *room)
{
    struct atoms atoms = {.policy = policy, .text = room->atoms};

    record_plain(record, facts, room);
    rcs_atoms_held(policy, facts, fact_row, add_atom, &atoms);
    if (atoms.used > 0) {
        rcs_record_span(record, RCS_KEY_ATOMS, (struct recourse_span){room->atoms, atoms.used});
    }
    record_hashes(record, salted, facts, room);
    return !atoms.full;
}
