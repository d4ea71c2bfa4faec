/* Syncing: on a thread of the port, one at a time, each for all that was written before it began. */
#include <unistd.h>

#include "src/audit/log.h"

#define BATCH_BYTES ((uint64_t)1 << 20)

bool rcs_sync_init(struct rcs_audit_sync *sync)
{
    if (pthread_mutex_init(&sync->lock, NULL) != 0) {
        return false;
    }
    if (pthread_cond_init(&sync->idle, NULL) != 0) {
        pthread_mutex_destroy(&sync->lock);
        return false;
    }
    return true;
}

void rcs_sync_wait(struct rcs_audit_sync *sync)
{
    pthread_mutex_lock(&sync->lock);
    while (sync->under_way) {
        pthread_cond_wait(&sync->idle, &sync->lock);
    }
    pthread_mutex_unlock(&sync->lock);
}

void rcs_sync_clear(struct rcs_audit_sync *sync)
{
    rcs_sync_wait(sync);
    pthread_cond_destroy(&sync->idle);
    pthread_mutex_destroy(&sync->lock);
}

/* On any thread. Whoever is told hears it under the lock, so that rcs_audit_deafen can rely on silence. */
static void work(void *user)
{
    struct rcs_audit_sync *sync = user;
    int code = fdatasync(sync->fd);

    pthread_mutex_lock(&sync->lock);
    if (code == 0) {
        sync->done = sync->target;
    } else {
        sync->has_failed = true;
    }
    sync->under_way = false;
    if (sync->told != NULL) {
        sync->told(sync->user);
    }
    pthread_cond_broadcast(&sync->idle);
    pthread_mutex_unlock(&sync->lock);
}

/* With the lock held, which is let go of meanwhile. */
static void begin(struct recourse_audit *audit)
{
    struct rcs_audit_sync *sync = &audit->sync;
    struct recourse_port *port = audit->options.port;

    sync->under_way = true;
    sync->target = audit->mark;
    sync->fd = audit->fd;
    pthread_mutex_unlock(&sync->lock);
    if (port->submit(port->self, work, sync) != 0) {
        work(sync); /* no thread is to be had: better late than never */
    }
    pthread_mutex_lock(&sync->lock);
}

/* With the lock held. A file that could not be synced may have lost anything: it ends here. */
static void take_failure(struct recourse_audit *audit)
{
    if (!audit->sync.has_failed) {
        return;
    }
    audit->sync.has_failed = false;
    audit->sync.failed_from = audit->sync.done;
    audit->sync.failed_to = audit->mark;
    audit->sync.done = audit->mark;
    audit->ended = true;
}

int rcs_audit_synced(struct recourse_audit *audit, uint64_t mark, bool *synced)
{
    struct rcs_audit_sync *sync = &audit->sync;
    uint8_t mode = audit->options.sync;
    bool has_failed;

    *synced = mode == RECOURSE_AUDIT_NONE || mode == RECOURSE_AUDIT_BATCH;
    if (*synced) {
        return 0;
    }
    pthread_mutex_lock(&sync->lock);
    if (!sync->under_way && !sync->has_failed && sync->done < mark) {
        begin(audit);
    }
    if (!sync->under_way) {
        take_failure(audit);
    }
    *synced = sync->done >= mark;
    has_failed = mark > sync->failed_from && mark <= sync->failed_to;
    pthread_mutex_unlock(&sync->lock);
    return has_failed ? RECOURSE_E_SYSTEM : 0;
}

void rcs_sync_batch(struct recourse_audit *audit)
{
    struct rcs_audit_sync *sync = &audit->sync;
    uint64_t patience = audit->options.sync == RECOURSE_AUDIT_EVERY ? 1 : BATCH_BYTES;

    if (audit->options.sync == RECOURSE_AUDIT_NONE || audit->fd < 0) {
        return;
    }
    pthread_mutex_lock(&sync->lock);
    if (!sync->under_way) {
        take_failure(audit);
        if (!audit->ended && audit->mark - sync->done >= patience) {
            begin(audit);
        }
    }
    pthread_mutex_unlock(&sync->lock);
}

void rcs_sync_last(struct recourse_audit *audit)
{
    struct rcs_audit_sync *sync = &audit->sync;

    rcs_sync_wait(sync);
    if (audit->options.sync == RECOURSE_AUDIT_NONE || sync->has_failed || sync->done == audit->mark) {
        return;
    }
    if (fdatasync(audit->fd) == 0) {
        sync->done = audit->mark;
    } else {
        sync->has_failed = true;
    }
}

int rcs_sync_now(struct recourse_audit *audit)
{
    rcs_sync_wait(&audit->sync);
    if (audit->options.sync == RECOURSE_AUDIT_NONE) {
        return 0;
    }
    return audit->fd >= 0 && fsync(audit->fd) == 0 && !audit->sync.has_failed ? 0 : RECOURSE_E_SYSTEM;
}

void rcs_audit_listen(struct recourse_audit *audit, void (*told)(void *user), void *user)
{
    pthread_mutex_lock(&audit->sync.lock);
    audit->sync.told = told;
    audit->sync.user = user;
    pthread_mutex_unlock(&audit->sync.lock);
}

void rcs_audit_deafen(struct recourse_audit *audit)
{
    rcs_audit_listen(audit, NULL, NULL);
    rcs_sync_wait(&audit->sync);
}
