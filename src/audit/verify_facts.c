/* Facts of an outcome, classified anew: by the conditions that the record says were met, and by the texts where
   somebody has disclosed them. */
#include <stdlib.h>
#include <string.h>

#include <recourse/call.h>

#include "src/audit/facts.h"
#include "src/audit/verify_internal.h"
#include "src/core/atoms.h"
#include "src/core/json.h"

/* ---- what is said in the open ---- */

static bool read_named(const struct rcs_record *record, enum rcs_key key, const char *(*name)(unsigned), unsigned count,
                       uint8_t *out)
{
    *out = 0;
    if (!rcs_record_has(record, key)) {
        return true;
    }
    for (unsigned i = 1; i < count; i++) {
        if (rcs_record_is(record, key, name(i))) {
            *out = (uint8_t)i;
            return true;
        }
    }
    return false;
}

static bool read_rpc(const struct rcs_record *record, struct recourse_facts *facts)
{
    struct recourse_span raw = rcs_record_raw(record, RCS_KEY_RPC);

    facts->has_rpc = rcs_record_has(record, RCS_KEY_RPC);
    return !facts->has_rpc || rcs_json_integer(raw, &facts->rpc);
}

static bool read_plain(const struct rcs_record *record, struct recourse_facts *facts)
{
    int64_t http = rcs_record_get(record, RCS_KEY_HTTP);
    int64_t exit_status = rcs_record_get(record, RCS_KEY_EXIT);
    int64_t signal = rcs_record_get(record, RCS_KEY_SIGNAL);

    if (http > UINT16_MAX || exit_status != (int)exit_status || signal != (int)signal) {
        return false;
    }
    facts->http = (uint16_t)http;
    facts->has_exit = rcs_record_has(record, RCS_KEY_EXIT);
    facts->exit_status = (int)exit_status;
    facts->signal = (int)signal;
    facts->wall_s = (uint64_t)rcs_record_get(record, RCS_KEY_WALL);
    facts->unsent = rcs_record_true(record, RCS_KEY_UNSENT);
    facts->interrupted = rcs_record_true(record, RCS_KEY_INTERRUPTED);
    facts->tool_error = rcs_record_true(record, RCS_KEY_TOOL_ERROR);
    facts->session_expired = rcs_record_true(record, RCS_KEY_SESSION_EXPIRED);
    facts->protocol = rcs_record_true(record, RCS_KEY_PROTOCOL);
    facts->too_large = rcs_record_true(record, RCS_KEY_TOO_LARGE);
    facts->spawn = rcs_record_true(record, RCS_KEY_SPAWN);
    return read_rpc(record, facts) &&
           read_named(record, RCS_KEY_NETWORK, rcs_network_name, RECOURSE_NETWORK_COUNT, &facts->network) &&
           read_named(record, RCS_KEY_TIMEOUT, rcs_timeout_name, RECOURSE_TIMEOUT_COUNT, &facts->timeout);
}

/* That a text was empty, the record says by having no hash of it. */
static bool claims_success(const struct rcs_record *record, const struct recourse_facts *facts)
{
    struct recourse_facts claimed = *facts;

    claimed.text.size = rcs_record_has(record, RCS_KEY_TEXT);
    return rcs_model_claims_success(&claimed);
}

/* ---- conditions that are met ---- */

static bool mark(struct rcs_judge *judge, struct recourse_span token, size_t *last)
{
    const char *dot = memchr(token.data, '.', token.size);
    struct recourse_span number;
    int64_t place;

    if (dot == NULL) {
        return false;
    }
    number = (struct recourse_span){dot + 1, token.size - (size_t)(dot + 1 - token.data)};
    for (size_t i = 0; i < judge->spec->fact_row_count; i++) {
        const struct rcs_spec_fact_row *row = &judge->spec->fact_rows[i];
        size_t atom;

        if (strlen(row->id) != (size_t)(dot - token.data) || memcmp(row->id, token.data, strlen(row->id)) != 0) {
            continue;
        }
        if (!rcs_json_integer(number, &place) || place < 1 || (size_t)place > row->atom_count ||
            !rcs_atom_is_content(row->atoms[place - 1].atom.kind)) {
            return false;
        }
        atom = judge->first_atoms[i] + (size_t)place;
        judge->held[(atom - 1) / 64] |= UINT64_C(1) << (atom - 1) % 64;
        if (atom <= *last) {
            return false; /* in order, each once */
        }
        *last = atom;
        return true;
    }
    return false;
}

static bool read_atoms(struct rcs_judge *judge, struct recourse_span text)
{
    size_t last = 0;

    memset(judge->held, 0, (judge->atom_count / 64 + 1) * sizeof *judge->held);
    while (text.size > 0) {
        const char *blank = memchr(text.data, ' ', text.size);
        struct recourse_span token = {text.data, blank == NULL ? text.size : (size_t)(blank - text.data)};
        size_t used = blank == NULL ? token.size : token.size + 1;

        if (!mark(judge, token, &last)) {
            return false;
        }
        text = (struct recourse_span){text.data + used, text.size - used};
    }
    return true;
}

struct recorded {
    const struct rcs_judge *judge;
    const struct recourse_facts *facts;
};

/* Of what looks into texts the record says which held; the rest is seen from the facts. */
static bool hold(void *user, const struct recourse_atom *atom, size_t number)
{
    const struct recorded *recorded = user;

    return rcs_atom_is_content(atom->kind) ? (recorded->judge->held[number / 64] >> number % 64 & 1) != 0
                                           : rcs_model_holds(NULL, recorded->facts, atom);
}

/* ---- texts that were disclosed ---- */

struct revealed {
    struct rcs_arena arena;
    struct rcs_salted salted;
    struct recourse_facts facts;
    bool all;   /* whatever the record has a hash of */
    bool headers;
    bool wrong; /* something is not what its hash stands for */
};

static struct recourse_span unhex(struct rcs_arena *arena, struct recourse_span string)
{
    struct recourse_span inner = {string.data + 1, string.size < 2 ? 0 : string.size - 2};
    char *bytes;

    if (inner.size == 0 || inner.size % 2 != 0) {
        return (struct recourse_span){NULL, 0};
    }
    bytes = rcs_arena_alloc(arena, inner.size / 2);
    if (!rcs_hex_read(inner, (uint8_t *)bytes, inner.size / 2)) {
        return (struct recourse_span){NULL, 0};
    }
    return (struct recourse_span){bytes, inner.size / 2};
}

static bool has_hash(const struct rcs_record *record, enum rcs_key key, const uint8_t mac[RCS_HASH_SIZE])
{
    uint8_t recorded[RCS_HASH_SIZE];

    return rcs_record_hex(record, key, recorded, sizeof recorded) && memcmp(recorded, mac, sizeof recorded) == 0;
}

static void reveal_content(struct rcs_verify *verify, const struct rcs_walked *call, struct revealed *revealed,
                           enum rcs_content content)
{
    struct recourse_facts *facts = &revealed->facts;
    struct recourse_span *const to[RCS_CONTENT_COUNT] = {&facts->phrase, &facts->text, &facts->json, &facts->result,
                                                         &facts->structured};
    enum rcs_key key = rcs_content_key(content);
    struct recourse_span value;
    uint8_t mac[RCS_HASH_SIZE];

    if (!rcs_record_has(&verify->record, key)) {
        return;
    }
    value = rcs_disclosure_find(verify->disclosure, verify->writer, call->number,
                                (unsigned)rcs_record_get(&verify->record, RCS_KEY_TRY), rcs_key_name(key));
    if (value.data == NULL) {
        revealed->all = false;
        return;
    }
    *to[content] = unhex(&revealed->arena, value);
    rcs_mac(&revealed->salted, rcs_key_name(key), *to[content], mac);
    revealed->wrong = revealed->wrong || !has_hash(&verify->record, key, mac);
}

static void read_headers(struct revealed *revealed, struct recourse_span list)
{
    struct recourse_header *headers = NULL;
    size_t count = 0;
    struct recourse_span key;
    struct recourse_span value;
    size_t at = 0;
    bool name = true;

    while (rcs_json_next(list, &at, &key, &value)) {
        if (name) {
            ((struct recourse_header *)rcs_arena_push(&revealed->arena, &headers, &count, sizeof *headers))->name =
                unhex(&revealed->arena, value);
        } else {
            headers[count - 1].value = unhex(&revealed->arena, value);
        }
        name = !name;
    }
    revealed->facts.headers = headers;
    revealed->facts.header_count = count;
}

static void reveal_headers(struct rcs_verify *verify, const struct rcs_walked *call, struct revealed *revealed)
{
    struct recourse_span value;
    uint8_t mac[RCS_HASH_SIZE];

    if (!rcs_record_has(&verify->record, RCS_KEY_HEADERS)) {
        return;
    }
    value = rcs_disclosure_find(verify->disclosure, verify->writer, call->number,
                                (unsigned)rcs_record_get(&verify->record, RCS_KEY_TRY), "headers");
    if (value.data == NULL) {
        revealed->all = false;
        return;
    }
    read_headers(revealed, value);
    revealed->headers = true;
    rcs_mac_headers(&revealed->salted, revealed->facts.headers, revealed->facts.header_count, mac);
    revealed->wrong = revealed->wrong || !has_hash(&verify->record, RCS_KEY_HEADERS, mac);
}

static uint16_t classify(const struct rcs_spec *spec, struct revealed *revealed)
{
    struct rcs_spec view = *spec; /* what the model needs on the way goes with us */

    view.arena = &revealed->arena;
    return rcs_model_classify(&view, &revealed->facts);
}

/* Whether what was disclosed says the same as the record does. */
static bool agrees(struct rcs_verify *verify, const struct rcs_walked *call, struct rcs_refacts *out)
{
    struct revealed revealed = {.facts = out->facts, .all = call->has_salt};
    bool good = true;

    if (call->has_salt) {
        rcs_salted_init(&revealed.salted, call->salt);
        for (unsigned i = 0; i < RCS_CONTENT_COUNT; i++) {
            reveal_content(verify, call, &revealed, (enum rcs_content)i);
        }
        reveal_headers(verify, call, &revealed);
    }
    if (revealed.wrong) {
        good = rcs_diverges(verify, "what was disclosed is not what the hash stands for", NULL, NULL);
    } else if (!revealed.all) {
        verify->verdict.undisclosed++;
    } else {
        verify->verdict.disclosed++;
        if (classify(call->judge->spec, &revealed) != out->fact_row) {
            good = rcs_diverges(verify, "the disclosed text meets another row of Failures", NULL, NULL);
        }
    }
    if (good && revealed.headers) {
        out->server_delay_ms = recourse_server_delay(&revealed.facts);
    }
    rcs_arena_clear(&revealed.arena);
    return good;
}

enum rcs_revealed rcs_reveal_arguments(struct rcs_verify *verify, const struct rcs_walked *call, struct rcs_arena *arena,
                                       struct recourse_span *arguments)
{
    struct recourse_span value = {NULL, 0};
    struct rcs_salted salted;
    uint8_t mac[RCS_HASH_SIZE];

    if (call->has_salt) {
        value = rcs_disclosure_find(verify->disclosure, verify->writer, call->number, 0, "arguments");
    }
    if (value.data == NULL) {
        return RCS_REVEALED_NOT;
    }
    *arguments = unhex(arena, value);
    rcs_salted_init(&salted, call->salt);
    rcs_mac(&salted, "arguments", *arguments, mac);
    return has_hash(&verify->record, RCS_KEY_ARGUMENTS, mac) ? RCS_REVEALED : RCS_REVEALED_OTHER;
}

static bool has_content(const struct rcs_record *record)
{
    bool found = rcs_record_has(record, RCS_KEY_HEADERS);

    for (unsigned i = 0; i < RCS_CONTENT_COUNT; i++) {
        found = found || rcs_record_has(record, rcs_content_key((enum rcs_content)i));
    }
    return found;
}

bool rcs_refacts(struct rcs_verify *verify, const struct rcs_walked *call, struct rcs_refacts *out)
{
    struct rcs_judge *judge = call->judge;
    struct recourse_facts *facts = &out->facts;
    struct recorded recorded;

    *out = (struct rcs_refacts){.facts = {.tool = call->tool[0] != '\0' ? call->tool : NULL},
                                .fact_row = RECOURSE_NONE};
    if (rcs_record_has(&verify->record, RCS_KEY_HEADERS)) { /* it is they that ask for one */
        out->server_delay_ms = (uint64_t)rcs_record_get(&verify->record, RCS_KEY_SERVER_DELAY);
    }
    if (!read_plain(&verify->record, facts) ||
        !read_atoms(judge, rcs_record_raw(&verify->record, RCS_KEY_ATOMS))) {
        return rcs_diverges(verify, "the facts are not such as a writer writes", NULL, NULL);
    }
    recorded = (struct recorded){judge, facts};
    out->fact_row = rcs_model_classify_by(judge->spec, claims_success(&verify->record, facts), hold, &recorded);
    if (out->fact_row != RECOURSE_NONE) {
        judge->fact_rows[out->fact_row]++;
    }
    return !has_content(&verify->record) || agrees(verify, call, out);
}
