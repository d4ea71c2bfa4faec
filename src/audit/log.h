/* A log that is being written. Shared by the files of the writer. */
#ifndef RCS_AUDIT_LOG_H
#define RCS_AUDIT_LOG_H

#include <pthread.h>
#include <sys/types.h>

#include "src/audit/audit.h"
#include "src/audit/facts.h"

#define RCS_AUDIT_POLICIES_MAX 256u
#define RCS_AUDIT_CHECKPOINT_EVERY 4096u /* records */

/* Syncing, off the runner's thread. What is under `lock` both threads touch. */
struct rcs_audit_sync {
    pthread_mutex_t lock;
    pthread_cond_t idle;
    bool under_way;
    bool has_failed; /* the last one */
    int fd;
    uint64_t target; /* mark of the one under way */
    uint64_t done;   /* mark: so far the log is on the disk, but for */
    uint64_t failed_from; /* what is behind this mark */
    uint64_t failed_to;   /* up to this one: syncing that has failed */
    void (*told)(void *user);
    void *user;
};

struct rcs_audit_policy {
    uint8_t behaviour[32];
    uint8_t file[32];
    char *name;
};

struct recourse_audit {
    struct recourse_audit_options options;
    char *path;
    int fd;         /* -1: no file, after a failure */
    bool ended;     /* nothing more is written to this file: the next record begins another one */
    int disclosure; /* -1: none */
    pid_t pid;
    uint8_t hash[RCS_HASH_SIZE];    /* of the last record */
    uint8_t written[RCS_HASH_SIZE]; /* of the last one that is in the file */
    uint8_t log[RCS_LOG_ID_SIZE]; /* given by the first writer, kept by the others */
    uint8_t writer[16];
    struct rcs_salted secret;       /* of salts; in memory only */
    struct rcs_buffer pending;
    struct rcs_buffer disclosed; /* for the other file */
    int undisclosed;             /* errno: why some of that is still there */
    size_t pending_count;
    uint64_t file_size;
    uint64_t mark;    /* bytes written so far, over all files */
    uint64_t total;         /* records of the log, over all files and writers */
    uint64_t total_written; /* of them, those that are in a file */
    uint64_t segment; /* number of the last header */
    uint64_t count;   /* records since opening, headers included */
    uint64_t checkpoint; /* `count` at the last one */
    uint64_t calls;
    uint64_t lost;      /* in all */
    uint64_t unsaid;    /* of those, the ones that no record tells of */
    struct rcs_audit_policy policies[RCS_AUDIT_POLICIES_MAX];
    uint64_t policy_count;
    uint64_t policies_written; /* of them, those that are in the file, or about to be */
    struct rcs_record record; /* the one that is being made */
    struct rcs_facts_room room;
    struct rcs_audit_sync sync;
};

/* write.c */
/* Makes sure that there is a file to go on with, and says in it how many records were lost. To be called before
   `audit->record` is set. */
RECOURSE_MUST_USE int rcs_log_ready(struct recourse_audit *audit, uint64_t now_ms);
/* Appends `audit->record`. Errors as rcs_line_append. */
RECOURSE_MUST_USE int rcs_log_append(struct recourse_audit *audit);
/* The number of a policy in this log; a new one is written down. Uses `audit->record`. */
RECOURSE_MUST_USE int rcs_log_policy(struct recourse_audit *audit, const struct recourse_policy *policy,
                                     uint64_t now_ms, uint64_t *number);
/* A record is lost. */
void rcs_log_lose(struct recourse_audit *audit, uint64_t count);

/* file.c */
/* Opens and locks the file of the log, reads it, and cuts a torn line off. `*torn`: bytes of it. */
RECOURSE_MUST_USE int rcs_log_open(struct recourse_audit *audit, uint64_t *torn, struct recourse_error *error);
/* Puts a full or failed file aside and begins a new one. `audit->fd` is -1 where that fails. */
RECOURSE_MUST_USE int rcs_log_rotate(struct recourse_audit *audit);
RECOURSE_MUST_USE int rcs_log_write(int fd, const char *bytes, size_t size);

/* sync.c */
bool rcs_sync_init(struct rcs_audit_sync *sync);
void rcs_sync_wait(struct rcs_audit_sync *sync);
void rcs_sync_clear(struct rcs_audit_sync *sync);
/* Before a file is put aside: what is in it and not on the disk yet is synced with it, or never. */
void rcs_sync_last(struct recourse_audit *audit);
/* Syncs now, on this thread. */
RECOURSE_MUST_USE int rcs_sync_now(struct recourse_audit *audit);
/* Begins a sync if so much was written since the last one that it is time. */
void rcs_sync_batch(struct recourse_audit *audit);

#endif
