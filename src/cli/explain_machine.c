/* The unrolled machine as data for the page: the page looks up, and decides nothing. */
#include "explain_page.h"

#include <stdlib.h>
#include <string.h>

#include "json_out.h"
#include "page_frame.h"

#define DELAYS_MAX 64u

/* What a server may ask for, as far as the page has the windows of. */
struct delays {
    struct {
        uint64_t ms;
        bool offered; /* else it is only in links */
    } items[DELAYS_MAX];
    size_t count;
};

static void add_delay(struct delays *delays, uint64_t ms, bool offered)
{
    size_t at = 0;

    while (at < delays->count && delays->items[at].ms < ms) {
        at++;
    }
    if (at < delays->count && delays->items[at].ms == ms) {
        delays->items[at].offered = delays->items[at].offered || offered;
        return;
    }
    if (ms == 0 || delays->count == DELAYS_MAX) {
        return;
    }
    memmove(&delays->items[at + 1], &delays->items[at], (delays->count - at) * sizeof delays->items[0]);
    delays->items[at].ms = ms;
    delays->items[at].offered = offered;
    delays->count++;
}

/* Some of each size, and what makes a difference to this policy: the bounds of its waits, and what its examples have. */
static void find_delays(const struct rcs_spec *spec, struct delays *delays)
{
    static const uint64_t usual_ms[] = {500, 1000, 5000, 30000, 60000, 300000};

    for (size_t i = 0; i < sizeof usual_ms / sizeof *usual_ms; i++) {
        add_delay(delays, usual_ms[i], true);
    }
    for (size_t i = 0; i < spec->wait_count; i++) {
        if (spec->waits[i].server != RECOURSE_SERVER_IGNORE) {
            add_delay(delays, spec->waits[i].server_ms, true);
            add_delay(delays, spec->waits[i].server_ms + 1, false); /* as witnesses have it */
            add_delay(delays, spec->waits[i].server_ms + 1000, true);
        }
    }
    for (size_t i = 0; i < spec->run_count; i++) {
        for (size_t w = 0; w < spec->runs[i].word_count; w++) {
            add_delay(delays, spec->runs[i].words[w].server_delay_ms, false);
        }
    }
}

/* "5s", as in a word; or "5 s", as in a message. */
static const char *delay_text(struct rcs_arena *arena, uint64_t ms, const char *between)
{
    bool whole = ms % 1000 == 0;

    return rcs_arena_format(arena, "%llu%s%s", (unsigned long long)(whole ? ms / 1000 : ms), between, whole ? "s" : "ms");
}

static void write_delays(struct rcs_out *out, struct rcs_arena *arena, const struct delays *delays)
{
    rcs_out_key(out, "delays");
    rcs_out_open(out, '[');
    for (size_t i = 0; i < delays->count; i++) {
        rcs_out_open(out, '{');
        rcs_out_key(out, "word");
        rcs_out_text(out, delay_text(arena, delays->items[i].ms, ""));
        rcs_out_key(out, "text");
        rcs_out_text(out, delays->items[i].ms > RECOURSE_DURATION_MAX_MS ? "more than 30 days"
                                                                        : delay_text(arena, delays->items[i].ms, " "));
        rcs_out_key(out, "offered");
        rcs_out_bool(out, delays->items[i].offered);
        rcs_out_close(out, '}');
    }
    rcs_out_close(out, ']');
}

/* ---- tables ---- */

static void write_index(struct rcs_out *out, const char *key, uint16_t index)
{
    rcs_out_key(out, key);
    if (index == RECOURSE_NONE) {
        rcs_out_null(out);
    } else {
        rcs_out_number(out, index);
    }
}

static void write_rows(struct rcs_out *out, const struct rcs_spec *spec)
{
    rcs_out_key(out, "rows");
    rcs_out_open(out, '[');
    for (size_t i = 0; i < spec->row_count; i++) {
        const struct rcs_spec_row *row = &spec->rows[i];

        rcs_out_open(out, '{');
        rcs_out_key(out, "id");
        rcs_out_text(out, row->id);
        rcs_out_key(out, "line");
        rcs_out_number(out, row->place.line);
        write_index(out, "wait", row->wait);
        write_index(out, "scenario", row->scenario);
        write_index(out, "message", row->message);
        rcs_out_close(out, '}');
    }
    rcs_out_close(out, ']');
}

static void write_scenarios(struct rcs_out *out, const struct rcs_spec *spec)
{
    rcs_out_key(out, "scenarios");
    rcs_out_open(out, '[');
    for (size_t i = 0; i < spec->scenario_count; i++) {
        const struct rcs_spec_scenario *scenario = &spec->scenarios[i];

        rcs_out_open(out, '{');
        rcs_out_key(out, "label");
        rcs_out_text(out, scenario->label);
        rcs_out_key(out, "tell");
        rcs_out_text(out, recourse_tell_name(scenario->tell));
        rcs_out_key(out, "reminder");
        if (scenario->reminder == RECOURSE_REMINDER_NONE) {
            rcs_out_null(out);
        } else {
            rcs_out_bool(out, scenario->reminder == RECOURSE_REMINDER_YES);
        }
        rcs_out_key(out, "meaning");
        rcs_out_text(out, scenario->meaning);
        rcs_out_close(out, '}');
    }
    rcs_out_close(out, ']');
    rcs_out_key(out, "messages");
    rcs_out_open(out, '[');
    for (size_t i = 0; i < spec->message_count; i++) {
        rcs_out_text(out, spec->messages[i].text);
    }
    rcs_out_close(out, ']');
}

static void write_windows(struct rcs_out *out, const struct rcs_spec *spec, const struct rcs_spec_wait *wait, uint64_t delay_ms)
{
    unsigned count = spec->settings.tries > 1 ? spec->settings.tries - 1u : 1u;

    rcs_out_open(out, '[');
    for (unsigned index = 0; index < count; index++) {
        struct rcs_window window;

        rcs_model_window(spec, wait, index, delay_ms, &window);
        if (window.stop) {
            rcs_out_null(out);
            continue;
        }
        rcs_out_open(out, '[');
        rcs_out_number(out, window.base_ms);
        rcs_out_number(out, window.min_ms);
        rcs_out_number(out, window.max_ms);
        rcs_out_close(out, ']');
    }
    rcs_out_close(out, ']');
}

static void write_waits(struct rcs_out *out, const struct rcs_spec *spec, const struct delays *delays)
{
    rcs_out_key(out, "waits");
    rcs_out_open(out, '[');
    for (size_t i = 0; i < spec->wait_count; i++) {
        const struct rcs_spec_wait *wait = &spec->waits[i];

        rcs_out_open(out, '{');
        rcs_out_key(out, "by_uses");
        rcs_out_bool(out, wait->by_uses);
        rcs_out_key(out, "windows");
        rcs_out_open(out, '{');
        rcs_out_key(out, "");
        write_windows(out, spec, wait, 0);
        for (size_t d = 0; d < delays->count && wait->server != RECOURSE_SERVER_IGNORE; d++) {
            rcs_out_key(out, delay_text(spec->arena, delays->items[d].ms, ""));
            write_windows(out, spec, wait, delays->items[d].ms);
        }
        rcs_out_close(out, '}');
        rcs_out_close(out, '}');
    }
    rcs_out_close(out, ']');
}

/* ---- words ---- */

struct word {
    uint16_t event;
    bool safe;
    bool shown;
    bool failure;
};

static void write_word(struct rcs_out *out, const struct rcs_spec *spec, uint8_t place, const struct word *word)
{
    struct rcs_word named = {.event = word->event, .safe = word->safe};
    struct rcs_case at = {.event = word->event, .safe = word->safe, .acted_now = !word->safe, .may_wait = true};
    uint8_t effect = word->failure ? spec->failures[word->event - RECOURSE_EVENT_FAILURE].effect : RECOURSE_EFFECT_COUNT;

    if (word->failure) {
        at.acted_now = effect != RECOURSE_EFFECT_NONE;
        at.safe = word->safe || !at.acted_now;
    }
    rcs_out_open(out, '{');
    rcs_out_key(out, "word");
    rcs_out_text(out, rcs_word_text(spec->arena, spec, &named));
    rcs_out_key(out, "event");
    rcs_out_text(out, rcs_spec_event_name(spec, word->event));
    rcs_out_key(out, "shown");
    rcs_out_bool(out, word->shown);
    rcs_out_key(out, "symbol");
    rcs_out_number(out, rcs_symbol(spec, place, &at));
    if (word->failure) {
        at.may_wait = false;
        rcs_out_key(out, "no_wait");
        rcs_out_number(out, rcs_symbol(spec, place, &at));
        rcs_out_key(out, "effect");
        rcs_out_text(out, recourse_effect_name(effect));
    }
    if (place == RECOURSE_ATTEMPT && (word->failure || word->event == RECOURSE_EVENT_DEADLINE)) {
        rcs_out_key(out, "ended"); /* a reason is added to it */
        rcs_out_number(out, rcs_symbol(spec, RECOURSE_EXHAUSTED, &(struct rcs_case){.event = word->event}));
    }
    rcs_out_close(out, '}');
}

static void write_words_of(struct rcs_out *out, const struct rcs_spec *spec, uint8_t place)
{
    for (uint16_t event = 0; event < rcs_event_end(spec); event++) {
        bool failure = event >= RECOURSE_EVENT_FAILURE;
        bool sent = place == RECOURSE_ATTEMPT && (event == RECOURSE_EVENT_DEADLINE || event == RECOURSE_EVENT_CANCELLED);
        struct word word = {event, false, true, failure};

        if (!rcs_event_in_table(spec, place, event) || !rcs_event_is_live(spec, event)) {
            continue;
        }
        write_word(out, spec, place, &word);
        if (failure || sent) {
            word.safe = true;
            word.shown = sent || spec->failures[event - RECOURSE_EVENT_FAILURE].effect != RECOURSE_EFFECT_NONE;
            write_word(out, spec, place, &word);
        }
    }
}

static void write_words(struct rcs_out *out, const struct rcs_spec *spec)
{
    rcs_out_key(out, "words");
    rcs_out_open(out, '{');
    for (uint8_t place = RECOURSE_PRECONDITION; place < RECOURSE_EXHAUSTED; place++) {
        rcs_out_key(out, recourse_place_name(place));
        rcs_out_open(out, '[');
        write_words_of(out, spec, place);
        rcs_out_close(out, ']');
    }
    rcs_out_close(out, '}');
    rcs_out_key(out, "reasons");
    rcs_out_open(out, '[');
    for (unsigned reason = 0; reason < RECOURSE_REASON_COUNT; reason++) {
        rcs_out_text(out, recourse_reason_name(reason));
    }
    rcs_out_close(out, ']');
}

/* ---- states ---- */

static void write_states(struct rcs_out *out, const struct rcs_machine *machine)
{
    rcs_out_key(out, "states");
    rcs_out_open(out, '[');
    for (size_t state = 0; state < machine->state_count; state++) {
        rcs_out_open(out, '{');
        rcs_out_key(out, "place");
        rcs_out_text(out, recourse_place_name(machine->states[state].place));
        rcs_out_key(out, "moves");
        rcs_out_open(out, '{');
        for (unsigned symbol = 0; symbol < machine->symbol_count; symbol++) {
            struct recourse_move move = machine->moves[state * machine->symbol_count + symbol];

            if (move.row != RECOURSE_NONE) {
                rcs_out_key(out, rcs_arena_format(machine->arena, "%u", symbol));
                rcs_out_open(out, '[');
                rcs_out_number(out, move.row);
                rcs_out_number(out, move.state);
                rcs_out_close(out, ']');
            }
        }
        rcs_out_close(out, '}');
        rcs_out_close(out, '}');
    }
    rcs_out_close(out, ']');
}

static void write_examples(struct rcs_out *out, const struct rcs_spec *spec)
{
    rcs_out_key(out, "examples");
    rcs_out_open(out, '[');
    for (size_t i = 0; i < spec->run_count; i++) {
        rcs_out_open(out, '{');
        rcs_out_key(out, "id");
        rcs_out_text(out, spec->runs[i].id);
        rcs_out_key(out, "words");
        rcs_out_text(out, rcs_page_words(spec->arena, spec, &spec->runs[i]));
        rcs_out_close(out, '}');
    }
    rcs_out_close(out, ']');
}

void rcs_page_machine(const struct rcs_loaded *loaded, struct rcs_string *out)
{
    const struct rcs_spec *spec = loaded->spec;
    struct delays delays = {.count = 0};
    struct rcs_out json = {0};

    find_delays(spec, &delays);
    rcs_out_open(&json, '{');
    rcs_out_key(&json, "policy");
    rcs_out_text(&json, spec->path);
    rcs_out_key(&json, "tries");
    rcs_out_number(&json, spec->settings.tries);
    rcs_out_key(&json, "reminder");
    rcs_out_text(&json, spec->settings.reminder);
    write_rows(&json, spec);
    write_scenarios(&json, spec);
    write_delays(&json, spec->arena, &delays);
    write_waits(&json, spec, &delays);
    write_words(&json, spec);
    write_states(&json, loaded->machine);
    write_examples(&json, spec);
    rcs_out_close(&json, '}');
    rcs_frame_append_json(out, json.data, json.size);
    rcs_out_clear(&json);
}
