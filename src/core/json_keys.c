/*
 * Keys that an object has twice, found in fixed memory (some 35 KiB of stack).
 *
 * Keys of open objects stand in a hash table, each under its hash mixed with its object's offset; when an object
 * closes, they are taken out again, last in first out, so that one walk over the text is enough, however it nests. A
 * text that has more than TABLE_KEYS keys open at once, or whose hashes were made to collide, is gone over again in
 * rounds instead: each round keeps the smallest hashes that no earlier round had, sorts them, and looks at neighbours.
 * So n keys take about n / SORT_KEEP walks, whoever chose them.
 */
#include <string.h>

#include "json_walk.h"

#define TABLE_SIZE 2048u
#define TABLE_KEYS 1536u
#define PROBES_MAX 64u
#define SORT_SIZE 4096u
#define SORT_KEEP 3072u
#define NO_KEY SIZE_MAX

enum found { FOUND_NONE = 0, FOUND_TWICE = 1, FOUND_NO_ROOM = 2 };

struct slot {
    uint64_t hash;
    size_t key; /* offset, or NO_KEY */
};

/* Where the objects that the walk is in begin. */
struct nest {
    struct rcs_json_walk walk;
    size_t begin[RCS_JSON_DEPTH_MAX + 1]; /* by depth */
};

static struct recourse_span part_of(const struct rcs_json_walk *walk)
{
    return (struct recourse_span){walk->text.data + walk->begin, walk->at - walk->begin};
}

static enum rcs_json_part nest_next(struct nest *nest)
{
    const enum rcs_json_part part = rcs_json_walk_next(&nest->walk);

    if (part == RCS_JSON_PART_OPEN) {
        nest->begin[nest->walk.depth] = nest->walk.begin;
    }
    return part;
}

/* FNV-1a over code points, then the finish of MurmurHash3, so that all bits count. */
static uint64_t hash_key(const struct nest *nest)
{
    const struct recourse_span key = part_of(&nest->walk);
    uint64_t hash = 0xcbf29ce484222325u ^ (uint64_t)nest->begin[nest->walk.depth] * 0x9e3779b97f4a7c15u;
    uint32_t point;

    for (size_t at = 1; rcs_json_string_next(key, &at, &point);) {
        hash = (hash ^ point) * 0x100000001b3u;
    }
    hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccdu;
    hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53u;
    return hash ^ hash >> 33;
}

static struct recourse_span key_at(struct recourse_span text, size_t at)
{
    return (struct recourse_span){text.data + at, text.size - at};
}

/* ---- one walk with a table ---- */

struct table {
    struct nest nest;
    struct slot slots[TABLE_SIZE];
    uint16_t order[TABLE_KEYS]; /* the slots in the order in which they were filled */
    uint16_t first[RCS_JSON_DEPTH_MAX + 1]; /* by depth: where the object's keys begin in `order` */
    uint16_t count;
    size_t size; /* slots in use: small for a small text, since each walk clears them */
};

/* A key and its value take five bytes at least, so that a table of half the text's size stays half empty. */
static size_t slots_for(size_t text)
{
    size_t size = 16;

    while (size < TABLE_SIZE && size < text / 2) {
        size *= 2;
    }
    return size;
}

static enum found table_add(struct table *table)
{
    const struct nest *const nest = &table->nest;
    const struct recourse_span text = nest->walk.text;
    const uint64_t hash = hash_key(nest);
    struct slot *slot;

    for (unsigned probe = 0; probe < PROBES_MAX; probe++) {
        slot = &table->slots[(hash + probe) % table->size];
        if (slot->key == NO_KEY) {
            if (table->count == TABLE_KEYS) {
                return FOUND_NO_ROOM;
            }
            slot->hash = hash;
            slot->key = nest->walk.begin;
            table->order[table->count++] = (uint16_t)(slot - table->slots);
            return FOUND_NONE;
        }
        /* Keys behind the object's beginning are its own: those of objects in it are gone. */
        if (slot->hash == hash && slot->key > nest->begin[nest->walk.depth] &&
            rcs_json_string_equal(key_at(text, slot->key), part_of(&nest->walk))) {
            return FOUND_TWICE;
        }
    }
    return FOUND_NO_ROOM;
}

static enum found table_walk(struct recourse_span text, size_t *offset)
{
    struct table table;
    enum found found = FOUND_NONE;

    rcs_json_walk_init(&table.nest.walk, text, 0, false);
    table.size = slots_for(text.size);
    for (size_t i = 0; i < table.size; i++) {
        table.slots[i].key = NO_KEY;
    }
    table.count = 0;
    while (found == FOUND_NONE) {
        const enum rcs_json_part part = nest_next(&table.nest);

        if (part <= RCS_JSON_PART_FAULT) {
            return FOUND_NONE;
        }
        if (part == RCS_JSON_PART_OPEN) {
            table.first[table.nest.walk.depth] = table.count;
        } else if (part == RCS_JSON_PART_KEY) {
            found = table_add(&table);
        } else if (part == RCS_JSON_PART_CLOSE) {
            while (table.count > table.first[table.nest.walk.depth + 1]) {
                table.slots[table.order[--table.count]].key = NO_KEY;
            }
        }
    }
    *offset = table.nest.walk.begin;
    return found;
}

/* ---- rounds with a sorted list ---- */

struct sorted {
    struct nest nest;
    uint64_t hashes[SORT_SIZE];
    size_t count;
    uint64_t floor;   /* earlier rounds had the hashes up to here, this one included ... */
    bool has_floor;   /* ... if there was an earlier round */
    uint64_t ceiling; /* hashes above are a later round's */
};

static void sift_down(uint64_t *heap, size_t root, size_t count)
{
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        uint64_t swapped;

        if (child + 1 < count && heap[child + 1] > heap[child]) {
            child++;
        }
        if (heap[root] >= heap[child]) {
            return;
        }
        swapped = heap[root];
        heap[root] = heap[child];
        heap[child] = swapped;
    }
}

/* Heap sort: qsort may allocate. */
static void sort(uint64_t *hashes, size_t count)
{
    for (size_t i = count / 2; i > 0; i--) {
        sift_down(hashes, i - 1, count);
    }
    for (size_t end = count; end > 1; end--) {
        const uint64_t largest = hashes[0];

        hashes[0] = hashes[end - 1];
        hashes[end - 1] = largest;
        sift_down(hashes, 0, end - 1);
    }
}

/* Sorts; true if a hash is there twice, and which. */
static bool sort_and_look(struct sorted *sorted, uint64_t *twice)
{
    sort(sorted->hashes, sorted->count);
    for (size_t i = 1; i < sorted->count; i++) {
        if (sorted->hashes[i] == sorted->hashes[i - 1]) {
            *twice = sorted->hashes[i];
            return true;
        }
    }
    return false;
}

/* One round. True if a hash was there twice. */
static bool sorted_round(struct sorted *sorted, struct recourse_span text, uint64_t *twice)
{
    enum rcs_json_part part;

    sorted->count = 0;
    sorted->ceiling = UINT64_MAX;
    rcs_json_walk_init(&sorted->nest.walk, text, 0, false);
    while ((part = nest_next(&sorted->nest)) > RCS_JSON_PART_FAULT) {
        uint64_t hash;

        if (part != RCS_JSON_PART_KEY) {
            continue;
        }
        hash = hash_key(&sorted->nest);
        if ((sorted->has_floor && hash <= sorted->floor) || hash > sorted->ceiling) {
            continue;
        }
        sorted->hashes[sorted->count++] = hash;
        if (sorted->count == SORT_SIZE) {
            if (sort_and_look(sorted, twice)) {
                return true;
            }
            sorted->count = SORT_KEEP;
            sorted->ceiling = sorted->hashes[SORT_KEEP - 1];
        }
    }
    return sort_and_look(sorted, twice);
}

/* The offset of the second key with this hash. Two keys that differ and still share 64 bits were made to do so: they
   count as one key twice, and the text is refused. */
static size_t second_with(struct nest *nest, struct recourse_span text, uint64_t hash)
{
    enum rcs_json_part part;
    unsigned seen = 0;

    rcs_json_walk_init(&nest->walk, text, 0, false);
    while ((part = nest_next(nest)) > RCS_JSON_PART_FAULT) {
        if (part == RCS_JSON_PART_KEY && hash_key(nest) == hash && ++seen == 2) {
            break;
        }
    }
    return nest->walk.begin;
}

static bool sorted_walks(struct recourse_span text, size_t *offset)
{
    struct sorted sorted;
    uint64_t twice;

    sorted.has_floor = false;
    sorted.floor = 0;
    do {
        if (sorted_round(&sorted, text, &twice)) {
            *offset = second_with(&sorted.nest, text, twice);
            return true;
        }
        sorted.floor = sorted.ceiling;
        sorted.has_floor = true;
    } while (sorted.ceiling != UINT64_MAX);
    return false;
}

bool rcs_json_find_duplicate(struct recourse_span text, size_t *offset)
{
    const enum found found = table_walk(text, offset);

    return found == FOUND_NO_ROOM ? sorted_walks(text, offset) : found == FOUND_TWICE;
}
