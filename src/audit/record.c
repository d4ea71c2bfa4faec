#include "src/audit/record.h"

#include <string.h>

#include "src/core/json.h"
#include "src/core/text.h"

static const char *const kinds[RCS_KIND_COUNT] = {
    [RCS_KIND_SEGMENT] = "segment",       [RCS_KIND_POLICY] = "policy",       [RCS_KIND_PRECONDITION] = "precondition",
    [RCS_KIND_ATTEMPT] = "attempt",       [RCS_KIND_OUTCOME] = "outcome",     [RCS_KIND_WAIT] = "wait",
    [RCS_KIND_EXHAUSTED] = "exhausted",   [RCS_KIND_REPORTED] = "reported",   [RCS_KIND_CHECKPOINT] = "checkpoint",
    [RCS_KIND_RECOVERED] = "recovered",   [RCS_KIND_LOST] = "lost",           [RCS_KIND_CLOSE] = "close",
    [RCS_KIND_BROKEN] = "broken",
};

enum shape { NUMBER, SIGNED, BOOL, TRUE_ONLY, TEXT, HEX };

#define K(kind) (1u << RCS_KIND_##kind)
#define MOVES (K(PRECONDITION) | K(ATTEMPT) | K(OUTCOME) | K(WAIT) | K(EXHAUSTED) | K(REPORTED))
#define OF_CALL (MOVES | K(BROKEN))
#define ALL ((1u << RCS_KIND_COUNT) - 1u)
#define N(name) name, sizeof name - 1

/* Which kinds have to have a field, which may. */
static const struct {
    const char *name;
    uint8_t name_size;
    uint8_t shape;
    uint8_t size; /* of HEX: digits */
    uint16_t needed;
    uint16_t allowed;
} keys[RCS_KEY_COUNT] = {
    [RCS_KEY_ARGUMENTS] = {N("arguments"), HEX, 64, K(PRECONDITION), 0},
    [RCS_KEY_AT] = {N("at"), NUMBER, 0, ALL, 0},
    [RCS_KEY_ATOMS] = {N("atoms"), TEXT, 0, 0, K(OUTCOME)},
    [RCS_KEY_BEGAN] = {N("began"), NUMBER, 0, K(PRECONDITION), 0},
    [RCS_KEY_BEHAVIOUR] = {N("behaviour"), HEX, 64, K(SEGMENT) | K(POLICY), 0},
    [RCS_KEY_BUDGETS] = {N("budgets"), TEXT, 0, 0, K(OUTCOME)},
    [RCS_KEY_BYTES] = {N("bytes"), NUMBER, 0, K(RECOVERED), 0},
    [RCS_KEY_CALL] = {N("call"), NUMBER, 0, OF_CALL, 0},
    [RCS_KEY_COUNT_] = {N("count"), NUMBER, 0, K(SEGMENT) | K(CHECKPOINT) | K(LOST) | K(CLOSE), 0},
    [RCS_KEY_DEADLINE] = {N("deadline"), NUMBER, 0, 0, K(PRECONDITION)},
    [RCS_KEY_DECLARED] = {N("declared"), TEXT, 0, 0, K(PRECONDITION)},
    [RCS_KEY_EFFECT] = {N("effect"), TEXT, 0, K(OUTCOME), 0},
    [RCS_KEY_END] = {N("end"), NUMBER, 0, K(WAIT), K(ATTEMPT)},
    [RCS_KEY_EVENT] = {N("event"), TEXT, 0, MOVES, 0},
    [RCS_KEY_EXIT] = {N("exit"), SIGNED, 0, 0, K(OUTCOME)},
    [RCS_KEY_FACT_ROW] = {N("fact_row"), TEXT, 0, 0, K(OUTCOME)},
    [RCS_KEY_FAILURE] = {N("failure"), TEXT, 0, 0, K(OUTCOME)},
    [RCS_KEY_FILE] = {N("file"), HEX, 64, K(SEGMENT) | K(POLICY), 0},
    [RCS_KEY_FORMAT] = {N("format"), NUMBER, 0, K(SEGMENT), 0},
    [RCS_KEY_HEADERS] = {N("headers"), HEX, 64, 0, K(OUTCOME)},
    [RCS_KEY_HTTP] = {N("http"), NUMBER, 0, 0, K(OUTCOME)},
    [RCS_KEY_ID] = {N("id"), TEXT, 0, 0, K(PRECONDITION)},
    [RCS_KEY_ID_HASH] = {N("id_hash"), HEX, 64, 0, K(PRECONDITION)},
    [RCS_KEY_INTERRUPTED] = {N("interrupted"), TRUE_ONLY, 0, 0, K(OUTCOME)},
    [RCS_KEY_JSON] = {N("json"), HEX, 64, 0, K(OUTCOME)},
    [RCS_KEY_KIND] = {N("kind"), TEXT, 0, ALL, 0},
    [RCS_KEY_LOG] = {N("log"), HEX, 32, K(SEGMENT), 0},
    [RCS_KEY_MESSAGE] = {N("message"), TEXT, 0, 0, K(REPORTED)},
    [RCS_KEY_NAME] = {N("name"), TEXT, 0, K(SEGMENT) | K(POLICY), 0},
    [RCS_KEY_NETWORK] = {N("network"), TEXT, 0, 0, K(OUTCOME)},
    [RCS_KEY_NEW_SESSION] = {N("new_session"), TRUE_ONLY, 0, 0, K(ATTEMPT)},
    [RCS_KEY_NEXT] = {N("next"), TEXT, 0, MOVES, 0},
    [RCS_KEY_NUMBER] = {N("number"), NUMBER, 0, K(POLICY), 0},
    [RCS_KEY_PHRASE] = {N("phrase"), HEX, 64, 0, K(OUTCOME)},
    [RCS_KEY_POLICY] = {N("policy"), NUMBER, 0, K(PRECONDITION), 0},
    [RCS_KEY_PREVIOUS] = {N("previous"), HEX, 64, K(SEGMENT), 0},
    [RCS_KEY_PROTOCOL] = {N("protocol"), TRUE_ONLY, 0, 0, K(OUTCOME)},
    [RCS_KEY_RANDOM] = {N("random"), HEX, 16, 0, K(OUTCOME)},
    [RCS_KEY_REASON] = {N("reason"), TEXT, 0, K(BROKEN), K(EXHAUSTED) | K(REPORTED)},
    [RCS_KEY_RECOURSE] = {N("recourse"), TEXT, 0, K(SEGMENT), 0},
    [RCS_KEY_REMINDED] = {N("reminded"), TRUE_ONLY, 0, 0, K(REPORTED)},
    [RCS_KEY_REMINDER] = {N("reminder"), TEXT, 0, K(REPORTED), 0},
    [RCS_KEY_RESULT] = {N("result"), HEX, 64, 0, K(OUTCOME)},
    [RCS_KEY_ROW] = {N("row"), TEXT, 0, MOVES, 0},
    [RCS_KEY_RPC] = {N("rpc"), TEXT, 0, 0, K(OUTCOME)},
    [RCS_KEY_SAFE] = {N("safe"), BOOL, 0, K(PRECONDITION), 0},
    [RCS_KEY_SCENARIO] = {N("scenario"), TEXT, 0, 0, K(WAIT) | K(REPORTED)},
    [RCS_KEY_SEGMENT] = {N("segment"), NUMBER, 0, K(SEGMENT), 0},
    [RCS_KEY_SENT] = {N("sent"), BOOL, 0, 0, K(OUTCOME)},
    [RCS_KEY_SERVER_DELAY] = {N("server_delay"), NUMBER, 0, 0, K(OUTCOME)},
    [RCS_KEY_SESSION_EXPIRED] = {N("session_expired"), TRUE_ONLY, 0, 0, K(OUTCOME)},
    [RCS_KEY_SIGNAL] = {N("signal"), SIGNED, 0, 0, K(OUTCOME)},
    [RCS_KEY_SPAWN] = {N("spawn"), TRUE_ONLY, 0, 0, K(OUTCOME)},
    [RCS_KEY_STATE] = {N("state"), TEXT, 0, MOVES, 0},
    [RCS_KEY_STRUCTURED] = {N("structured"), HEX, 64, 0, K(OUTCOME)},
    [RCS_KEY_SYNC] = {N("sync"), TEXT, 0, K(SEGMENT), 0},
    [RCS_KEY_TELL] = {N("tell"), TEXT, 0, K(REPORTED) | K(BROKEN), 0},
    [RCS_KEY_TEXT] = {N("text"), HEX, 64, 0, K(OUTCOME)},
    [RCS_KEY_TIMEOUT] = {N("timeout"), TEXT, 0, 0, K(OUTCOME)},
    [RCS_KEY_TOO_LARGE] = {N("too_large"), TRUE_ONLY, 0, 0, K(OUTCOME)},
    [RCS_KEY_TOOL] = {N("tool"), TEXT, 0, 0, K(PRECONDITION)},
    [RCS_KEY_TOOL_ERROR] = {N("tool_error"), TRUE_ONLY, 0, 0, K(OUTCOME)},
    [RCS_KEY_TOOL_HASH] = {N("tool_hash"), HEX, 64, 0, K(PRECONDITION)},
    [RCS_KEY_TRY] = {N("try"), NUMBER, 0, OF_CALL, 0},
    [RCS_KEY_UNSENT] = {N("unsent"), TRUE_ONLY, 0, 0, K(OUTCOME)},
    [RCS_KEY_WAIT] = {N("wait"), TEXT, 0, K(WAIT), 0},
    [RCS_KEY_WAIT_BASE] = {N("wait_base"), NUMBER, 0, K(WAIT), 0},
    [RCS_KEY_WAIT_MAX] = {N("wait_max"), NUMBER, 0, K(WAIT), 0},
    [RCS_KEY_WAIT_MIN] = {N("wait_min"), NUMBER, 0, K(WAIT), 0},
    [RCS_KEY_WAIT_MS] = {N("wait_ms"), NUMBER, 0, K(WAIT), 0},
    [RCS_KEY_WALL] = {N("wall"), NUMBER, 0, K(SEGMENT) | K(CHECKPOINT), K(OUTCOME)},
    [RCS_KEY_WRITER] = {N("writer"), HEX, 32, K(SEGMENT), 0},
};

const char *rcs_kind_name(enum rcs_kind kind)
{
    return kinds[kind];
}

const char *rcs_key_name(enum rcs_key key)
{
    return keys[key].name;
}

/* ---- setting ---- */

void rcs_record_init(struct rcs_record *record, enum rcs_kind kind, uint64_t at_ms)
{
    record->kind = kind;
    memset(record->type, RCS_TYPE_NONE, sizeof record->type);
    rcs_record_text(record, RCS_KEY_KIND, kinds[kind]);
    rcs_record_number(record, RCS_KEY_AT, at_ms);
}

void rcs_record_signed(struct rcs_record *record, enum rcs_key key, int64_t number)
{
    record->type[key] = RCS_TYPE_NUMBER;
    record->value[key].number = number;
}

void rcs_record_number(struct rcs_record *record, enum rcs_key key, uint64_t number)
{
    if (number <= (uint64_t)RCS_NUMBER_MAX) {
        rcs_record_signed(record, key, (int64_t)number);
    }
}

void rcs_record_bool(struct rcs_record *record, enum rcs_key key, bool value)
{
    record->type[key] = value ? RCS_TYPE_TRUE : RCS_TYPE_FALSE;
}

void rcs_record_flag(struct rcs_record *record, enum rcs_key key, bool value)
{
    if (value) {
        record->type[key] = RCS_TYPE_TRUE;
    }
}

void rcs_record_span(struct rcs_record *record, enum rcs_key key, struct recourse_span text)
{
    record->type[key] = RCS_TYPE_TEXT;
    record->value[key].text = text;
}

void rcs_record_text(struct rcs_record *record, enum rcs_key key, const char *text)
{
    if (text != NULL) {
        rcs_record_span(record, key, (struct recourse_span){text, strlen(text)});
    }
}

/* ---- asking ---- */

bool rcs_record_has(const struct rcs_record *record, enum rcs_key key)
{
    return record->type[key] != RCS_TYPE_NONE;
}

bool rcs_record_true(const struct rcs_record *record, enum rcs_key key)
{
    return record->type[key] == RCS_TYPE_TRUE;
}

int64_t rcs_record_get(const struct rcs_record *record, enum rcs_key key)
{
    return record->type[key] == RCS_TYPE_NUMBER ? record->value[key].number : 0;
}

struct recourse_span rcs_record_raw(const struct rcs_record *record, enum rcs_key key)
{
    struct recourse_span text = record->value[key].text;

    if (record->type[key] != RCS_TYPE_TEXT) {
        return (struct recourse_span){NULL, 0};
    }
    return (struct recourse_span){text.data + 1, text.size - 2};
}

bool rcs_record_is(const struct rcs_record *record, enum rcs_key key, const char *text)
{
    struct recourse_span raw = rcs_record_raw(record, key);
    size_t size;

    if (record->type[key] != RCS_TYPE_TEXT || text == NULL) {
        return record->type[key] == RCS_TYPE_NONE && text == NULL;
    }
    size = strlen(text);
    if (raw.size == size && memcmp(raw.data, text, size) == 0) {
        return memchr(text, '\\', size) == NULL;
    }
    return raw.size > size && rcs_json_string_is(record->value[key].text, text, size);
}

bool rcs_record_hex(const struct rcs_record *record, enum rcs_key key, uint8_t *bytes, size_t size)
{
    return rcs_hex_read(rcs_record_raw(record, key), bytes, size);
}

/* ---- writing ---- */

/* Most of what is written is plain: names, ids, digits. */
static bool is_plain(struct recourse_span text)
{
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.data[i];

        if (byte < ' ' || byte > '~' || byte == '"' || byte == '\\') {
            return false;
        }
    }
    return true;
}

/* Where there is room for it; returns its length. */
static size_t put_text(enum rcs_key key, struct recourse_span text, char *out)
{
    if (keys[key].shape != HEX && !is_plain(text)) {
        return rcs_json_quote(text, out, 6 * text.size + 2);
    }
    out[0] = '"';
    if (text.size > 0) {
        memcpy(out + 1, text.data, text.size);
    }
    out[text.size + 1] = '"';
    return text.size + 2;
}

static size_t put_number(int64_t number, char *out)
{
    char digits[24];
    size_t count = 0;
    size_t size = 0;
    uint64_t left = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;

    do {
        digits[count++] = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    if (number < 0) {
        out[size++] = '-';
    }
    while (count > 0) {
        out[size++] = digits[--count];
    }
    return size;
}

#define NAME_ROOM 64u /* a field's name, its punctuation, and a number */

static int append_field(struct rcs_buffer *buffer, const struct rcs_record *record, enum rcs_key key, char before)
{
    bool is_text = record->type[key] == RCS_TYPE_TEXT;
    struct recourse_span text = is_text ? record->value[key].text : (struct recourse_span){NULL, 0};
    size_t name = keys[key].name_size;
    int code = rcs_buffer_reserve(buffer, NAME_ROOM + 6 * text.size + 2); /* a byte becomes \u0000 at most */
    char *at;

    if (code != 0) {
        return code;
    }
    at = buffer->data + buffer->size;
    *at++ = before;
    *at++ = '"';
    memcpy(at, keys[key].name, name);
    at += name;
    *at++ = '"';
    *at++ = ':';
    switch ((enum rcs_type)record->type[key]) {
    case RCS_TYPE_NUMBER: at += put_number(record->value[key].number, at); break;
    case RCS_TYPE_TEXT: at += put_text(key, text, at); break;
    case RCS_TYPE_TRUE:
        memcpy(at, "true", 4);
        at += 4;
        break;
    default:
        memcpy(at, "false", 5);
        at += 5;
        break;
    }
    buffer->size = (size_t)(at - buffer->data);
    return 0;
}

static int append_body(struct rcs_buffer *buffer, const struct rcs_record *record)
{
    static const uint8_t none[8] = {RCS_TYPE_NONE};
    char before = '{';
    int code = 0;

    for (unsigned key = 0; key < RCS_KEY_COUNT && code == 0; key++) {
        if (key % sizeof none == 0 && memcmp(record->type + key, none, sizeof none) == 0) {
            key += sizeof none - 1; /* most fields are not there */
        } else if (record->type[key] != RCS_TYPE_NONE) {
            code = append_field(buffer, record, (enum rcs_key)key, before);
            before = ',';
        }
    }
    return code == 0 ? rcs_buffer_append_byte(buffer, '}') : code;
}

static const char line_begin[] = "{\"body\":";
static const char line_middle[] = ",\"hash\":\"";
static const char line_end[] = "\"}";

#define BEGIN_SIZE (sizeof line_begin - 1)
#define TAIL_SIZE (sizeof line_middle - 1 + 2 * RCS_HASH_SIZE + sizeof line_end - 1)

int rcs_line_append(struct rcs_buffer *buffer, uint8_t hash[RCS_HASH_SIZE], const struct rcs_record *record)
{
    size_t before = buffer->size;
    char hex[2 * RCS_HASH_SIZE];
    struct recourse_span body;
    int code = rcs_buffer_append(buffer, line_begin, BEGIN_SIZE);

    code = code == 0 ? append_body(buffer, record) : code;
    code = code == 0 ? rcs_buffer_reserve(buffer, TAIL_SIZE + 1) : code;
    if (code == 0 && buffer->size - before + TAIL_SIZE + 1 > RCS_LINE_MAX) {
        code = RECOURSE_E_LIMIT;
    }
    if (code != 0) {
        buffer->size = before;
        return code;
    }
    body = (struct recourse_span){buffer->data + before + BEGIN_SIZE, buffer->size - before - BEGIN_SIZE};
    rcs_chain_next(hash, body);
    rcs_hex_write(hash, RCS_HASH_SIZE, hex);
    (void)!rcs_buffer_append(buffer, line_middle, sizeof line_middle - 1); /* room was made for all three */
    (void)!rcs_buffer_append(buffer, hex, sizeof hex);
    (void)!rcs_buffer_append(buffer, "\"}\n", 3);
    return 0;
}

/* ---- reading ---- */

const char *rcs_line_read(struct recourse_span line, struct recourse_span *body, uint8_t hash[RCS_HASH_SIZE])
{
    const char *tail;

    if (line.size < BEGIN_SIZE + 2 + TAIL_SIZE || memcmp(line.data, line_begin, BEGIN_SIZE) != 0) {
        return "it is no record";
    }
    tail = line.data + line.size - TAIL_SIZE;
    *body = (struct recourse_span){line.data + BEGIN_SIZE, line.size - BEGIN_SIZE - TAIL_SIZE};
    if (memcmp(tail, line_middle, sizeof line_middle - 1) != 0 ||
        memcmp(line.data + line.size - (sizeof line_end - 1), line_end, sizeof line_end - 1) != 0 ||
        !rcs_hex_read((struct recourse_span){tail + sizeof line_middle - 1, 2 * RCS_HASH_SIZE}, hash, RCS_HASH_SIZE)) {
        return "it does not end as a record does";
    }
    return NULL;
}

/* One body in the making. */
struct reader {
    const char *at;
    const char *end;
};

static bool accept(struct reader *in, const char *text, size_t size)
{
    if ((size_t)(in->end - in->at) < size || memcmp(in->at, text, size) != 0) {
        return false;
    }
    in->at += size;
    return true;
}

/* From behind a backslash: one of the escapes that the form has. */
static bool read_escape(struct reader *in)
{
    int high;
    int low;

    if (in->at < in->end && strchr("\"\\bfnrt", *in->at) != NULL && *in->at != '\0') {
        in->at++;
        return true;
    }
    if (!accept(in, "u00", 3) || in->end - in->at < 2) {
        return false;
    }
    high = *in->at++ - '0';
    low = *in->at++;
    if (high < 0 || high > 1 || !((low >= '0' && low <= '9') || (low >= 'a' && low <= 'f'))) {
        return false;
    }
    low = low <= '9' ? low - '0' : low - 'a' + 10;
    return high == 1 || (low != 8 && low != 9 && low != 10 && low != 12 && low != 13);
}

static bool read_text(struct reader *in, struct recourse_span *text)
{
    const char *begin = in->at;

    if (!accept(in, "\"", 1)) {
        return false;
    }
    while (in->at < in->end && *in->at != '"') {
        unsigned char byte = (unsigned char)*in->at;

        if (byte >= 0x80) {
            size_t at = 0;
            uint32_t point = rcs_utf8_next(in->at, (size_t)(in->end - in->at), &at);

            if (point == 0xfffd && (at != 3 || memcmp(in->at, "\xef\xbf\xbd", 3) != 0)) {
                return false;
            }
            in->at += at;
        } else {
            in->at++;
            if (byte < 0x20 || (byte == '\\' && !read_escape(in))) {
                return false;
            }
        }
    }
    *text = (struct recourse_span){begin, (size_t)(in->at - begin) + 1};
    return accept(in, "\"", 1);
}

static bool read_number(struct reader *in, int64_t *number)
{
    bool minus = accept(in, "-", 1);
    const char *begin = in->at;
    int64_t value = 0;

    while (in->at < in->end && *in->at >= '0' && *in->at <= '9' && in->at - begin < 16) {
        value = 10 * value + (*in->at++ - '0');
    }
    *number = minus ? -value : value;
    return in->at > begin && (*begin != '0' || (in->at - begin == 1 && !minus)) && value <= RCS_NUMBER_MAX;
}

/* With its quotes; at most as many digits as a hash has. */
static bool is_hex(struct recourse_span text, size_t digits)
{
    uint8_t bytes[RCS_HASH_SIZE];

    return rcs_hex_read((struct recourse_span){text.data + 1, text.size - 2}, bytes, digits / 2);
}

static bool read_value(struct reader *in, struct rcs_record *record, unsigned key)
{
    bool good;

    switch ((enum shape)keys[key].shape) {
    case NUMBER:
    case SIGNED:
        record->type[key] = RCS_TYPE_NUMBER;
        good = read_number(in, &record->value[key].number);
        return good && (keys[key].shape == SIGNED || record->value[key].number >= 0);
    case BOOL:
    case TRUE_ONLY:
        record->type[key] = RCS_TYPE_TRUE;
        if (accept(in, "true", 4)) {
            return true;
        }
        record->type[key] = RCS_TYPE_FALSE;
        return keys[key].shape == BOOL && accept(in, "false", 5);
    default:
        record->type[key] = RCS_TYPE_TEXT;
        good = read_text(in, &record->value[key].text);
        return good && (keys[key].shape == TEXT || is_hex(record->value[key].text, keys[key].size));
    }
}

/* The key at which the reader stands, which comes after all before `from`. RCS_KEY_COUNT: none. */
static unsigned read_key(struct reader *in, unsigned from)
{
    const char *end = memchr(in->at, '"', (size_t)(in->end - in->at));
    size_t size = end == NULL ? 0 : (size_t)(end - in->at);

    for (unsigned key = from; key < RCS_KEY_COUNT; key++) {
        const char *name = keys[key].name;

        if (size > 0 && *name == *in->at && strlen(name) == size && memcmp(name, in->at, size) == 0) {
            in->at = end;
            return accept(in, "\":", 2) ? key : (unsigned)RCS_KEY_COUNT;
        }
    }
    return RCS_KEY_COUNT;
}

static bool find_kind(struct rcs_record *record)
{
    for (unsigned i = 0; i < RCS_KIND_COUNT; i++) {
        if (rcs_record_is(record, RCS_KEY_KIND, kinds[i])) {
            record->kind = (enum rcs_kind)i;
            return true;
        }
    }
    return false;
}

static const char *check_fields(const struct rcs_record *record)
{
    unsigned bit = 1u << record->kind;

    for (unsigned key = 0; key < RCS_KEY_COUNT; key++) {
        bool there = record->type[key] != RCS_TYPE_NONE;

        if (!there && (keys[key].needed & bit) != 0) {
            return "a field is missing";
        }
        if (there && ((keys[key].needed | keys[key].allowed) & bit) == 0) {
            return "a field does not belong to this kind of record";
        }
    }
    return NULL;
}

const char *rcs_body_read(struct recourse_span body, struct rcs_record *record)
{
    struct reader in = {body.data, body.data + body.size};
    unsigned key = 0;
    unsigned from = 0;

    memset(record->type, RCS_TYPE_NONE, sizeof record->type);
    if (!accept(&in, "{\"", 2)) {
        return "its body is no object";
    }
    for (;;) {
        key = read_key(&in, from);
        if (key == RCS_KEY_COUNT) {
            return "its body has a field that is unknown or out of order";
        }
        if (!read_value(&in, record, key)) {
            return "its body has a value that is not in its canonical form";
        }
        if (accept(&in, "}", 1)) {
            break;
        }
        if (!accept(&in, ",\"", 2)) {
            return "its body is not in its canonical form";
        }
        from = key + 1;
    }
    if (in.at != in.end) {
        return "its body is not in its canonical form";
    }
    return find_kind(record) ? check_fields(record) : "its kind is unknown";
}
