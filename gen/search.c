#include "gen/search.h"

#include <string.h>

/*
 * A search is a set of threads, each of them so many bytes into one pattern, and what the last two bytes were. Every
 * such set that can come about is a state; they are made here once, so that a text costs one look-up a byte.
 *
 * A word's thread has two steps more than its bytes: it waits for the byte behind, and where the word ends in a digit
 * and that byte is `.` or `,`, for the one behind that.
 */
enum before { /* what stands to the left */
    BEFORE_FREE = 0,   /* a boundary for any word */
    BEFORE_WORD = 1,   /* a letter or `_` */
    BEFORE_DIGIT = 2,
    BEFORE_POINT = 3,  /* a digit, then `.` or `,`: no boundary for a word that begins with a digit */
    BEFORE_COUNT = 4
};

struct threads {
    uint32_t *items; /* pattern * stride + bytes matched, ascending */
    size_t count;
    uint8_t before; /* enum before */
};

struct edge {
    uint32_t next;
    uint32_t hits; /* where in `hits` its list begins; 0: none */
};

struct rcs_search {
    const struct rcs_pattern *patterns;
    size_t *sizes; /* of their texts */
    size_t pattern_count;
    uint32_t stride;
    uint8_t class_of[256];
    uint8_t classes[256]; /* a byte of each class */
    size_t class_count;
    struct threads *states;
    size_t state_count;
    struct edge *edges; /* [state * class_count + class] */
    uint16_t *hits;     /* lists of patterns, each ended by RECOURSE_NONE */
    size_t hit_count;
    uint32_t *slots; /* of the hash table: state + 1 */
};

#define SLOT_COUNT (2u * RCS_SEARCH_STATES_MAX)

static unsigned char lower(unsigned char byte)
{
    return byte >= 'A' && byte <= 'Z' ? (unsigned char)(byte - 'A' + 'a') : byte;
}

static bool is_digit(unsigned char byte)
{
    return byte >= '0' && byte <= '9';
}

static bool is_point(unsigned char byte)
{
    return byte == '.' || byte == ',';
}

static bool is_word(unsigned char byte)
{
    return is_digit(byte) || byte == '_' || (lower(byte) >= 'a' && lower(byte) <= 'z');
}

static uint8_t before_after(uint8_t before, unsigned char byte)
{
    if (is_digit(byte)) {
        return BEFORE_DIGIT;
    }
    if (is_word(byte)) {
        return BEFORE_WORD;
    }
    return is_point(byte) && before == BEFORE_DIGIT ? BEFORE_POINT : BEFORE_FREE;
}

static bool may_begin(const struct rcs_pattern *pattern, uint8_t before)
{
    if (pattern->text[0] == '\0') {
        return false;
    }
    if (!pattern->word || before == BEFORE_FREE) {
        return true;
    }
    return before == BEFORE_POINT && !is_digit((unsigned char)pattern->text[0]);
}

/* Moves one thread. Returns how far it is then, 0 if it has ended; `*hit` says that it found its pattern. */
static size_t advance(const struct rcs_pattern *pattern, size_t size, size_t at, unsigned char byte, bool *hit)
{
    *hit = false;
    if (at < size) {
        if ((unsigned char)pattern->text[at] != lower(byte)) {
            return 0;
        }
        *hit = !pattern->word && at + 1 == size;
        return *hit ? 0 : at + 1;
    }
    if (at == size && is_point(byte) && is_digit((unsigned char)pattern->text[size - 1])) {
        return size + 1;
    }
    *hit = at == size ? !is_word(byte) : !is_digit(byte);
    return 0;
}

static void step_thread(const struct rcs_search *search, size_t pattern, size_t at, unsigned char byte,
                        struct threads *to, bool *hits)
{
    bool hit;
    size_t next = advance(&search->patterns[pattern], search->sizes[pattern], at, byte, &hit);

    if (next > 0) {
        to->items[to->count++] = (uint32_t)(pattern * search->stride + next);
    }
    hits[pattern] = hits[pattern] || hit;
}

/* Threads are moved pattern by pattern, those that begin first, so that equal sets are equal arrays. */
static void step(const struct rcs_search *search, const struct threads *from, unsigned char byte, struct threads *to,
                 bool *hits)
{
    size_t item = 0;

    to->count = 0;
    to->before = before_after(from->before, byte);
    for (size_t pattern = 0; pattern < search->pattern_count; pattern++) {
        if (may_begin(&search->patterns[pattern], from->before)) {
            step_thread(search, pattern, 0, byte, to, hits);
        }
        for (; item < from->count && from->items[item] / search->stride == pattern; item++) {
            step_thread(search, pattern, from->items[item] % search->stride, byte, to, hits);
        }
    }
}

static uint32_t hash(const struct threads *threads)
{
    uint32_t sum = 2166136261u ^ threads->before;

    for (size_t i = 0; i < threads->count; i++) {
        sum = (sum ^ threads->items[i]) * 16777619u;
        sum ^= sum >> 15;
    }
    return sum;
}

static bool equal(const struct threads *one, const struct threads *two)
{
    return one->before == two->before && one->count == two->count &&
           (one->count == 0 || memcmp(one->items, two->items, one->count * sizeof *one->items) == 0);
}

/* The number of a set of threads; a new one if it was not there before. */
static uint32_t state_of(struct rcs_arena *arena, struct rcs_search *search, const struct threads *threads)
{
    uint32_t slot = hash(threads) % SLOT_COUNT;
    struct threads *added;

    for (; search->slots[slot] != 0; slot = (slot + 1) % SLOT_COUNT) {
        if (equal(&search->states[search->slots[slot] - 1], threads)) {
            return search->slots[slot] - 1;
        }
    }
    added = rcs_arena_push(arena, &search->states, &search->state_count, sizeof *added);
    *added = *threads;
    added->items = rcs_arena_alloc(arena, (threads->count + 1) * sizeof *threads->items);
    if (threads->count > 0) {
        memcpy(added->items, threads->items, threads->count * sizeof *threads->items);
    }
    search->slots[slot] = (uint32_t)search->state_count;
    return (uint32_t)(search->state_count - 1);
}

static void push_hit(struct rcs_arena *arena, struct rcs_search *search, uint16_t hit)
{
    uint16_t *added = rcs_arena_push(arena, &search->hits, &search->hit_count, sizeof *added);

    *added = hit;
}

static uint32_t hit_list(struct rcs_arena *arena, struct rcs_search *search, const bool *hits)
{
    size_t begin = search->hit_count;

    for (size_t i = 0; i < search->pattern_count; i++) {
        if (hits[i]) {
            push_hit(arena, search, (uint16_t)i);
        }
    }
    if (search->hit_count == begin) {
        return 0;
    }
    push_hit(arena, search, RECOURSE_NONE);
    return (uint32_t)begin;
}

/* Bytes that no pattern tells apart share a class: those in no pattern differ only in what they are to a boundary. */
static void make_classes(struct rcs_search *search)
{
    bool own[256] = {false};
    uint8_t class_by_kind[BEFORE_COUNT + 1] = {0};

    for (size_t i = 0; i < search->pattern_count; i++) {
        for (const char *at = search->patterns[i].text; *at != '\0'; at++) {
            own[(unsigned char)*at] = true;
        }
    }
    for (unsigned byte = 0; byte < 256; byte++) {
        unsigned char folded = lower((unsigned char)byte);
        unsigned kind = is_point(folded) ? BEFORE_COUNT : before_after(BEFORE_FREE, folded);

        if (folded == byte && (own[byte] || class_by_kind[kind] == 0)) {
            search->classes[search->class_count++] = (uint8_t)byte;
            search->class_of[byte] = (uint8_t)(search->class_count - 1);
            class_by_kind[kind] = own[byte] ? class_by_kind[kind] : (uint8_t)search->class_count;
        } else if (folded == byte) {
            search->class_of[byte] = (uint8_t)(class_by_kind[kind] - 1);
        }
    }
    for (unsigned byte = 'A'; byte <= 'Z'; byte++) {
        search->class_of[byte] = search->class_of[lower((unsigned char)byte)];
    }
}

static bool make_states(struct rcs_arena *arena, struct rcs_search *search)
{
    struct threads to = {.items = NULL};
    bool *hits = rcs_arena_alloc(arena, search->pattern_count + 1);
    size_t edge_count = 0;

    to.items = rcs_arena_alloc(arena, (search->pattern_count * search->stride + 1) * sizeof *to.items);
    state_of(arena, search, &to);
    for (size_t state = 0; state < search->state_count; state++) {
        if (search->state_count > RCS_SEARCH_STATES_MAX) {
            return false;
        }
        for (size_t class = 0; class < search->class_count; class++) {
            struct edge *edge = rcs_arena_push(arena, &search->edges, &edge_count, sizeof *edge);

            memset(hits, 0, search->pattern_count + 1);
            step(search, &search->states[state], search->classes[class], &to, hits);
            edge->next = state_of(arena, search, &to);
            edge->hits = hit_list(arena, search, hits);
        }
    }
    return true;
}

struct rcs_search *rcs_search_new(struct rcs_arena *arena, const struct rcs_pattern *patterns, size_t count)
{
    struct rcs_search *search = rcs_arena_alloc(arena, sizeof *search);

    search->patterns = patterns;
    search->pattern_count = count;
    search->sizes = rcs_arena_alloc(arena, (count + 1) * sizeof *search->sizes);
    for (size_t i = 0; i < count; i++) {
        uint32_t steps = (uint32_t)strlen(patterns[i].text) + 2;

        search->sizes[i] = steps - 2;
        search->stride = steps > search->stride ? steps : search->stride;
    }
    search->slots = rcs_arena_alloc(arena, SLOT_COUNT * sizeof *search->slots);
    push_hit(arena, search, RECOURSE_NONE);
    make_classes(search);
    return make_states(arena, search) ? search : NULL;
}

static uint32_t feed_byte(const struct rcs_search *search, uint32_t state, unsigned char byte, uint64_t *hits)
{
    const struct edge *edge = &search->edges[state * search->class_count + search->class_of[byte]];

    for (const uint16_t *hit = &search->hits[edge->hits]; *hit != RECOURSE_NONE; hit++) {
        hits[*hit / 64] |= UINT64_C(1) << *hit % 64;
    }
    return edge->next;
}

void rcs_search_feed(const struct rcs_search *search, uint32_t *matcher, const char *data, size_t size,
                     uint64_t hits[RECOURSE_PATTERNS_MAX / 64])
{
    uint32_t state = *matcher;

    if (state >= search->state_count) {
        return;
    }
    if (size == 0) {
        /* The end is a boundary: two line breaks settle every word that waits for what follows it. */
        state = feed_byte(search, state, '\n', hits);
        feed_byte(search, state, '\n', hits);
        *matcher = 0;
        return;
    }
    for (size_t i = 0; i < size; i++) {
        state = feed_byte(search, state, (unsigned char)data[i], hits);
    }
    *matcher = state;
}
