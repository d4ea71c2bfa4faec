/* The log itself: opening, appending, writing, closing. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <openssl/crypto.h>

#include "src/audit/log.h"
#include "src/core/fail.h"
#include "src/io/memory.h"

#define PENDING_MAX ((size_t)64 << 20)
#define PENDING_WRITE ((size_t)256 << 10) /* so much is not kept back */
#define SEGMENT_MAX ((uint64_t)64 << 20)

#ifndef RECOURSE_VERSION
#define RECOURSE_VERSION "unversioned"
#endif

static const char *const sync_names[RECOURSE_AUDIT_SYNC_COUNT] = {"before-effect", "none", "batch", "every"};

static char *copy_text(const struct recourse_allocator *allocator, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = rcs_alloc(allocator, size);

    return copy != NULL ? memcpy(copy, text, size) : NULL;
}

uint64_t recourse_audit_lost(const struct recourse_audit *audit)
{
    return audit->lost;
}

void rcs_log_lose(struct recourse_audit *audit, uint64_t count)
{
    audit->lost += count;
    audit->unsaid += count;
}

/* ---- writing ---- */

/* What was appended is lost; the file ends where it did before. */
static void take_back(struct recourse_audit *audit)
{
    if (audit->fd >= 0 && ftruncate(audit->fd, (off_t)audit->file_size) != 0) {
        audit->ended = true;
    }
    rcs_log_lose(audit, audit->pending_count);
    rcs_buffer_reset(&audit->pending);
    audit->pending_count = 0;
    audit->policies_written = 0; /* which of them are in the file, nobody knows: they are written again */
    memcpy(audit->hash, audit->written, sizeof audit->hash);
    audit->total = audit->total_written;
}

/* The other file is less important: what can't be written now may be later, from where the write has stopped. */
static void write_disclosed(struct recourse_audit *audit)
{
    struct rcs_buffer *disclosed = &audit->disclosed;
    size_t done = 0;

    while (done < disclosed->size) {
        ssize_t wrote = write(audit->disclosure, disclosed->data + done, disclosed->size - done);

        if (wrote < 0 && errno == EINTR) {
            continue;
        }
        if (wrote <= 0) {
            audit->undisclosed = errno;
            break;
        }
        done += (size_t)wrote;
    }
    if (done == disclosed->size) {
        rcs_buffer_reset(disclosed);
    } else if (done > 0) {
        disclosed->size -= done;
        memmove(disclosed->data, disclosed->data + done, disclosed->size);
    }
}

int rcs_audit_flush(struct recourse_audit *audit, uint64_t *mark)
{
    int code = 0;

    if (audit->pid != getpid()) {
        rcs_buffer_reset(&audit->pending); /* a fork's copy: the file and what is to be written belong to the other process */
        return RECOURSE_E_STATE;
    }
    if (audit->pending.size > 0) {
        code = audit->fd < 0 ? RECOURSE_E_SYSTEM : rcs_log_write(audit->fd, audit->pending.data, audit->pending.size);
        if (code != 0) {
            take_back(audit);
        } else {
            audit->file_size += audit->pending.size;
            audit->mark += audit->pending.size;
            memcpy(audit->written, audit->hash, sizeof audit->written);
            audit->total_written = audit->total;
            rcs_buffer_reset(&audit->pending);
            audit->pending_count = 0;
        }
    }
    write_disclosed(audit);
    if (code == 0) {
        rcs_sync_batch(audit);
    }
    if (mark != NULL) {
        *mark = audit->mark;
    }
    return code;
}

bool rcs_audit_has_more(const struct recourse_audit *audit)
{
    return audit->pending.size > 0;
}

int rcs_log_append(struct recourse_audit *audit)
{
    int code = rcs_line_append(&audit->pending, audit->hash, &audit->record);

    if (code == 0) {
        audit->pending_count++;
        audit->count++;
        audit->total++;
    }
    return code;
}

/* ---- segments ---- */

static int append_header(struct recourse_audit *audit, uint64_t now_ms)
{
    struct rcs_record *record = &audit->record;
    struct recourse_port *port = audit->options.port;
    const struct recourse_policy *policy = audit->options.policy;
    char behaviour[64];
    char file[64];
    char previous[2 * RCS_HASH_SIZE];
    char writer[32];
    char log[2 * RCS_LOG_ID_SIZE];

    rcs_hex_write(audit->log, sizeof audit->log, log);
    rcs_hex_write(policy->behaviour_sha256, 32, behaviour);
    rcs_hex_write(policy->file_sha256, 32, file);
    rcs_hex_write(audit->hash, sizeof audit->hash, previous);
    rcs_hex_write(audit->writer, sizeof audit->writer, writer);
    rcs_record_init(record, RCS_KIND_SEGMENT, now_ms);
    rcs_record_number(record, RCS_KEY_FORMAT, RCS_AUDIT_FORMAT);
    rcs_record_number(record, RCS_KEY_SEGMENT, ++audit->segment);
    rcs_record_number(record, RCS_KEY_COUNT_, audit->total);
    rcs_record_span(record, RCS_KEY_LOG, (struct recourse_span){log, sizeof log});
    rcs_record_number(record, RCS_KEY_WALL, port->wall_s(port->self));
    rcs_record_text(record, RCS_KEY_NAME, policy->name);
    rcs_record_text(record, RCS_KEY_RECOURSE, RECOURSE_VERSION);
    rcs_record_text(record, RCS_KEY_SYNC, sync_names[audit->options.sync]);
    rcs_record_span(record, RCS_KEY_BEHAVIOUR, (struct recourse_span){behaviour, sizeof behaviour});
    rcs_record_span(record, RCS_KEY_FILE, (struct recourse_span){file, sizeof file});
    rcs_record_span(record, RCS_KEY_PREVIOUS, (struct recourse_span){previous, sizeof previous});
    rcs_record_span(record, RCS_KEY_WRITER, (struct recourse_span){writer, sizeof writer});
    audit->policies_written = 1; /* the header's own */
    return rcs_log_append(audit);
}

static int append_policies(struct recourse_audit *audit, uint64_t now_ms)
{
    struct rcs_record *record = &audit->record;
    int code = 0;

    audit->policies_written = audit->policies_written == 0 ? 1 : audit->policies_written;
    while (audit->policies_written < audit->policy_count && code == 0) {
        const struct rcs_audit_policy *policy = &audit->policies[audit->policies_written];
        char behaviour[64];
        char file[64];

        rcs_hex_write(policy->behaviour, 32, behaviour);
        rcs_hex_write(policy->file, 32, file);
        rcs_record_init(record, RCS_KIND_POLICY, now_ms);
        rcs_record_number(record, RCS_KEY_NUMBER, audit->policies_written);
        rcs_record_text(record, RCS_KEY_NAME, policy->name);
        rcs_record_span(record, RCS_KEY_BEHAVIOUR, (struct recourse_span){behaviour, sizeof behaviour});
        rcs_record_span(record, RCS_KEY_FILE, (struct recourse_span){file, sizeof file});
        code = rcs_log_append(audit);
        audit->policies_written += code == 0;
    }
    return code;
}

static int begin_segment(struct recourse_audit *audit, uint64_t now_ms)
{
    int code = rcs_audit_flush(audit, NULL);

    code = code == 0 || audit->pending.size == 0 ? rcs_log_rotate(audit) : code;
    code = code == 0 ? append_header(audit, now_ms) : code;
    if (code == 0) {
        audit->ended = false;
        code = rcs_audit_flush(audit, NULL);
        audit->ended = audit->ended || code != 0;
    }
    return code;
}

/* How many were lost is said before anything else is. */
static int append_lost(struct recourse_audit *audit, uint64_t now_ms)
{
    int code;

    rcs_record_init(&audit->record, RCS_KIND_LOST, now_ms);
    rcs_record_number(&audit->record, RCS_KEY_COUNT_, audit->unsaid);
    code = rcs_log_append(audit);
    if (code == 0) {
        audit->pending_count--; /* if it is lost itself, what it tells of is lost once only */
        code = rcs_audit_flush(audit, NULL);
        audit->unsaid = code == 0 ? 0 : audit->unsaid;
    }
    return code;
}

static int append_checkpoint(struct recourse_audit *audit, uint64_t now_ms)
{
    struct recourse_port *port = audit->options.port;

    rcs_record_init(&audit->record, RCS_KIND_CHECKPOINT, now_ms);
    rcs_record_number(&audit->record, RCS_KEY_COUNT_, audit->count);
    rcs_record_number(&audit->record, RCS_KEY_WALL, port->wall_s(port->self));
    audit->checkpoint = audit->count;
    return rcs_log_append(audit);
}

int rcs_log_ready(struct recourse_audit *audit, uint64_t now_ms)
{
    uint64_t most = audit->options.segment_max;
    int code = 0;

    if (audit->pending.size == 0 && audit->pid != getpid()) { /* a system call: not for each record. Writing asks, too */
        return RECOURSE_E_STATE;
    }
    if (audit->pending.size >= PENDING_WRITE) {
        code = rcs_audit_flush(audit, NULL);
    }
    if (audit->ended || audit->fd < 0 || (audit->file_size >= most && audit->pending.size == 0)) {
        code = begin_segment(audit, now_ms);
    }
    if (code == 0 && audit->unsaid > 0) {
        code = append_lost(audit, now_ms);
    }
    if (code == 0 && audit->policies_written < audit->policy_count) {
        code = append_policies(audit, now_ms);
    }
    if (code == 0 && audit->count - audit->checkpoint >= RCS_AUDIT_CHECKPOINT_EVERY) {
        code = append_checkpoint(audit, now_ms);
    }
    return code;
}

static int add_policy(struct recourse_audit *audit, const struct recourse_policy *policy)
{
    struct rcs_audit_policy *added = &audit->policies[audit->policy_count];

    if (audit->policy_count == RCS_AUDIT_POLICIES_MAX) {
        return RECOURSE_E_LIMIT;
    }
    added->name = copy_text(audit->options.allocator, policy->name);
    if (added->name == NULL) {
        return RECOURSE_E_MEMORY;
    }
    memcpy(added->behaviour, policy->behaviour_sha256, sizeof added->behaviour);
    memcpy(added->file, policy->file_sha256, sizeof added->file);
    audit->policy_count++;
    return 0;
}

int rcs_log_policy(struct recourse_audit *audit, const struct recourse_policy *policy, uint64_t now_ms,
                   uint64_t *number)
{
    int code;

    for (*number = 0; *number < audit->policy_count; ++*number) {
        const struct rcs_audit_policy *known = &audit->policies[*number];

        if (memcmp(known->behaviour, policy->behaviour_sha256, sizeof known->behaviour) == 0 &&
            memcmp(known->file, policy->file_sha256, sizeof known->file) == 0) {
            return 0;
        }
    }
    code = add_policy(audit, policy);
    return code == 0 ? append_policies(audit, now_ms) : code;
}

/* ---- opening ---- */

static int check_options(const struct recourse_audit_options *options, struct recourse_error *error)
{
    if (options == NULL || options->size != sizeof *options) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "no options, or options of another size");
    }
    if (options->port == NULL || options->policy == NULL || options->path == NULL) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "a log needs a port, a policy and a path");
    }
    if (options->sync >= RECOURSE_AUDIT_SYNC_COUNT) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "no way of syncing has number %u", options->sync);
    }
    if (options->capture && options->disclosure == NULL) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "what is captured needs a disclosure to be written to");
    }
    return 0;
}

/* A writer that was killed may have left the beginning of a line: the next one begins behind it. */
static bool end_last_line(int fd, off_t size)
{
    char last = '\n';

    return (size == 0 || pread(fd, &last, 1, size - 1) == 1) && (last == '\n' || rcs_log_write(fd, "\n", 1) == 0);
}

static int open_disclosure(struct recourse_audit *audit, const char *path, struct recourse_error *error)
{
    struct stat status;

    if (path == NULL) {
        return 0;
    }
    audit->disclosure = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (audit->disclosure < 0) {
        return rcs_fail(error, RECOURSE_E_SYSTEM, "%s: %s", path, strerror(errno));
    }
    if (fstat(audit->disclosure, &status) != 0 || (status.st_mode & 077) != 0) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "%s: others may read it; make it yours alone (chmod 600)", path);
    }
    if (!end_last_line(audit->disclosure, status.st_size)) {
        return rcs_fail(error, RECOURSE_E_SYSTEM, "%s: its torn last line can't be ended: %s", path, strerror(errno));
    }
    return 0;
}

static int begin_log(struct recourse_audit *audit, uint64_t torn, struct recourse_error *error)
{
    struct recourse_port *port = audit->options.port;
    uint64_t now = port->now_ms(port->self);
    int code = append_header(audit, now);

    if (code == 0 && torn > 0) {
        rcs_record_init(&audit->record, RCS_KIND_RECOVERED, now);
        rcs_record_number(&audit->record, RCS_KEY_BYTES, torn);
        code = rcs_log_append(audit);
    }
    code = code == 0 ? rcs_audit_flush(audit, NULL) : code;
    return code == 0 ? 0 : rcs_fail(error, (enum recourse_code)code, "%s: the log can't be written: %s", audit->path,
                                    strerror(errno));
}

static int open_all(struct recourse_audit *audit, const struct recourse_audit_options *options,
                    struct recourse_error *error)
{
    struct recourse_port *port = options->port;
    uint8_t secret[RCS_HASH_SIZE];
    uint64_t torn = 0;
    int code;

    audit->path = copy_text(options->allocator, options->path);
    if (audit->path == NULL || add_policy(audit, options->policy) != 0) {
        return rcs_fail(error, RECOURSE_E_MEMORY, "no memory for a log");
    }
    if (port->random(port->self, audit->log, sizeof audit->log) != 0 ||
        port->random(port->self, audit->writer, sizeof audit->writer) != 0 ||
        port->random(port->self, secret, sizeof secret) != 0) {
        return rcs_fail(error, RECOURSE_E_SYSTEM, "no random numbers for the salts of a log");
    }
    rcs_salted_init(&audit->secret, secret);
    OPENSSL_cleanse(secret, sizeof secret);
    code = open_disclosure(audit, options->disclosure, error);
    code = code == 0 ? rcs_log_open(audit, &torn, error) : code;
    return code == 0 ? begin_log(audit, torn, error) : code;
}

static void free_log(struct recourse_audit *audit)
{
    const struct recourse_allocator *allocator = audit->options.allocator;

    rcs_sync_clear(&audit->sync);
    if (audit->fd >= 0) {
        close(audit->fd);
    }
    if (audit->disclosure >= 0) {
        close(audit->disclosure);
    }
    for (uint64_t i = 0; i < audit->policy_count; i++) {
        rcs_free(allocator, audit->policies[i].name);
    }
    rcs_buffer_clear(&audit->pending);
    rcs_buffer_clear(&audit->disclosed);
    rcs_free(allocator, audit->path);
    OPENSSL_cleanse(&audit->secret, sizeof audit->secret);
    rcs_free(allocator, audit);
}

int recourse_audit_open(const struct recourse_audit_options *options, struct recourse_audit **out,
                        struct recourse_error *error)
{
    struct recourse_audit *audit;
    int code = check_options(options, error);

    if (code != 0) {
        return code;
    }
    audit = out == NULL ? NULL : rcs_alloc_zero(options->allocator, sizeof *audit);
    if (audit == NULL) {
        return rcs_fail(error, out == NULL ? RECOURSE_E_ARGUMENT : RECOURSE_E_MEMORY, "no memory for a log");
    }
    audit->options = *options;
    audit->options.segment_max = options->segment_max > 0 ? options->segment_max : SEGMENT_MAX;
    audit->fd = -1;
    audit->disclosure = -1;
    audit->pid = getpid();
    rcs_buffer_init(&audit->pending, options->allocator, PENDING_MAX);
    rcs_buffer_init(&audit->disclosed, options->allocator, PENDING_MAX);
    if (!rcs_sync_init(&audit->sync)) {
        rcs_free(options->allocator, audit);
        return rcs_fail(error, RECOURSE_E_MEMORY, "no memory for a log");
    }
    code = open_all(audit, options, error);
    if (code != 0) {
        free_log(audit);
        return code;
    }
    *out = audit;
    return 0;
}

static int fail_end(const struct recourse_audit *audit, struct recourse_error *error)
{
    const char *why = strerror(errno);

    if (audit->lost == 0) {
        return rcs_fail(error, RECOURSE_E_SYSTEM, "%s: the end of the log can't be written: %s", audit->path, why);
    }
    return rcs_fail(error, RECOURSE_E_SYSTEM, "%s: the end of the log can't be written: %s; records lost: %llu",
                    audit->path, why, (unsigned long long)audit->lost);
}

int recourse_audit_close(struct recourse_audit *audit, struct recourse_error *error)
{
    struct recourse_port *port;
    uint64_t now;
    int code;

    if (audit == NULL) {
        return 0;
    }
    if (audit->pid != getpid()) {
        return rcs_fail(error, RECOURSE_E_STATE, "the log belongs to another process");
    }
    port = audit->options.port;
    now = port->now_ms(port->self);
    code = rcs_log_ready(audit, now);
    if (code == 0) {
        rcs_record_init(&audit->record, RCS_KIND_CLOSE, now);
        rcs_record_number(&audit->record, RCS_KEY_COUNT_, audit->count);
        code = rcs_log_append(audit);
    }
    code = code == 0 ? rcs_audit_flush(audit, NULL) : code;
    code = code == 0 ? rcs_sync_now(audit) : code;
    if (code != 0) {
        code = fail_end(audit, error);
    } else if (audit->disclosed.size > 0) {
        code = rcs_fail(error, RECOURSE_E_SYSTEM, "the disclosure can't be written to its end: %s",
                        strerror(audit->undisclosed));
    }
    free_log(audit);
    return code;
}
