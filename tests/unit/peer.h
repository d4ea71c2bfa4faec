/*
 * A scripted server on the loopback, for tests: it listens on 127.0.0.1 at a port of its own and plays one script per
 * connection, each on a thread. What it does is written out step by step, so that it can be as faulty as a test wants.
 */
#ifndef RCS_PEER_H
#define RCS_PEER_H

#include <stddef.h>

enum peer_action {
    PEER_END = 0,  /* closes the connection */
    PEER_EXPECT,   /* reads one request with its body, and counts it; the end of the connection ends the script */
    PEER_SEND,     /* sends `text`, or `size` bytes of it */
    PEER_TRICKLE,  /* sends `text` a byte at a time, every `ms`, again and again, until the other side has gone */
    PEER_FLOOD,    /* sends `text` again and again, until the other side has gone */
    PEER_RESET,    /* resets the connection */
    PEER_HANG,     /* does nothing until the other side has gone, or peer_stop */
    PEER_IGNORE,   /* as PEER_HANG, but reads nothing of what comes */
    PEER_AGAIN     /* goes on with the first step */
};

struct peer_step {
    enum peer_action action;
    const char *text;
    size_t size;
    unsigned ms;
};

struct peer;

/* Starts a server. The n-th connection plays the n-th script, those beyond `count` the last one. The scripts must live
   until peer_stop. `wake(user)`, if not NULL, is called after each request that was read and each connection that has
   ended. Ends the program on failure. */
struct peer *peer_start(const struct peer_step *const *scripts, size_t count, void (*wake)(void *user), void *user);
/* Ends all connections and frees it. */
void peer_stop(struct peer *peer);

unsigned peer_port(const struct peer *peer);
unsigned peer_requests(const struct peer *peer);    /* read so far, whole */
unsigned peer_connections(const struct peer *peer); /* accepted so far */
unsigned peer_open(const struct peer *peer);        /* whose script still runs */
/* Copies the last request that was read. */
void peer_last_request(struct peer *peer, char *text, size_t size);

/* A port of the loopback that is bound, so that nobody else gets it, and on which nobody listens. Close `*fd` at the
   end. */
unsigned peer_closed_port(int *fd);
/* A port whose queue is full, so that connecting neither succeeds nor fails. Close all `fds` at the end. */
#define PEER_FULL_FDS 4
unsigned peer_full_port(int fds[PEER_FULL_FDS]);

#endif
