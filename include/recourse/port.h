/*
 * The port: all that the runner wants from the outside. One for real (recourse_port_new, on epoll and libcurl),
 * one simulated in the tests, and a host may fill in its own.
 *
 * One thread owns a port, the one that calls its runner; only `wake` may be called from any thread.
 * Callbacks come from `poll` and `dispatch`, never from inside the call that asked for them.
 */
#ifndef RECOURSE_PORT_H
#define RECOURSE_PORT_H

#include <recourse/error.h>
#include <recourse/facts.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Memory. All three are called from whatever thread needs memory; `user` is passed through. */
struct recourse_allocator {
    void *(*alloc)(void *user, size_t size);
    void *(*realloc)(void *user, void *memory, size_t size);
    void (*free)(void *user, void *memory);
    void *user;
};

/* One HTTP request. All of it is kept by the caller until `done`: see `http_start`. */
struct recourse_http_request {
    const char *method; /* "GET", "POST", "PUT", "PATCH", "DELETE" */
    const char *url;    /* http or https only */
    const char *const *headers; /* "Name: value", NULL-terminated; may be NULL */
    struct recourse_span body;  /* data NULL: none; POST, PUT and PATCH then send an empty one */
    const char *proxy;          /* NULL: none; the environment is never asked */
    const char *ca_file;        /* NULL: the system's */
    uint64_t connect_timeout_ms; /* 0: none */
    uint64_t read_timeout_ms;    /* longest gap between bytes; 0: none */
    uint64_t deadline_ms;        /* monotonic, of the port's clock; RECOURSE_FOREVER (UINT64_MAX): none */
    size_t body_max;             /* bytes of the answer's body, after decoding */
    /*
     * Asked, with the user of `done`, before so many more bytes of the body are kept or handed on: at first for all of a
     * body to be kept whose length was said, up to `body_max`. False: not now. Nothing more is read until http_resume, the
     * read timeout rests, the deadline holds. May be NULL.
     */
    bool (*keep)(void *user, size_t size);
    /*
     * Handed the bytes of the body, decoded, as they come, instead of having them kept: `body_max` has no say then. With the user of `done`; it must not call the port. False ends the exchange well: it is not
     * called any more, and `done` comes soon, with what there is and an empty body, however the body goes on. `data_type` chooses what is streamed: bodies of that media type in answers of 2xx;
     * NULL: every body. May be NULL: nothing is.
     */
    bool (*data)(void *user, const char *bytes, size_t size);
    const char *data_type; /* "text/event-stream" */
};

/*
 * How one exchange ended. Never sent twice: a request that the HTTP library would send again by itself is stopped
 * and ends as RECOURSE_NETWORK_CLOSED or _RESET with `sent`. An answer over TLS that says neither its length nor its end, and whose
 * connection is closed without the end of TLS, is RECOURSE_NETWORK_CLOSED too, if libcurl's TLS library is OpenSSL; with
 * others that can't be known, and it counts as whole.
 */
struct recourse_http_response {
    uint16_t status;  /* 0: no status line came */
    uint8_t network;  /* enum recourse_network */
    uint8_t timeout;  /* enum recourse_timeout */
    bool sent;        /* at least one byte of the request went out */
    bool protocol;    /* what came is not HTTP */
    bool too_large;
    const struct recourse_header *headers; /* of the last answer (1xx left out), in order */
    size_t header_count;
    struct recourse_span phrase;
    struct recourse_span body;
    const char *detail; /* English, NUL-terminated, "" on success: for reasons and logs */
    uint64_t wall_s;
};

struct recourse_transfer;

/* A program to be started. All of it is kept by the caller until `done`: see `process_start`. */
struct recourse_process_request {
    const char *const *arguments;   /* NULL-terminated; the first is the program: a path, or a name looked up in PATH */
    const char *const *environment; /* "NAME=value", NULL-terminated, besides what we have ourselves; the last one of a
                                       name counts. May be NULL */
    const char *directory;          /* NULL: ours. A relative path of the program counts from here */
    const char *shown_program;      /* what `detail` says instead of the first argument, and of */
    const char *shown_directory;    /* the directory; NULL: they themselves */
    struct recourse_span input;     /* for its standard input, which is a socket and ends after it */
    size_t output_max;              /* bytes of standard output: one that writes more is ended */
    size_t errors_max;              /* bytes of standard error that are kept; more is read and dropped */
    uint64_t deadline_ms;           /* as of a request: it is ended then; RECOURSE_FOREVER: never */
    uint64_t grace_ms;              /* from SIGTERM to SIGKILL; 0: 2 s */
    /* Asked, with the user of `done`, before so many bytes or fewer are read that will be kept. False: not now. Neither
       output is read until process_resume, or until it is being ended. Of one that is talked with before each block that is
       handed on. May be NULL. */
    bool (*keep)(void *user, size_t size);
    /*
     * A process that is talked with; NULL: it is not. Handed its standard output as it comes, instead of having it kept:
     * `output_max` has no say then, and of standard error it is the last bytes that are kept. Called with size 0 where the
     * output has ended before the process. Its standard input stays open, for process_write, and `input` is not looked
     * at. Both functions get the user of `done`, and may call the port.
     */
    void (*data)(void *user, const char *bytes, size_t size);
    /* process_write has taken less than it was given: now it may take more. */
    void (*writable)(void *user);
    uint64_t quit_ms; /* of such a process: from the end of its input to SIGTERM; 0: 2 s */
};

/* How it ended. `errors` may hold something in any case; `output` is empty where it was too large. */
struct recourse_process_result {
    int start_error;  /* errno: it could not be started, and nothing of it ran. 0: it was */
    bool exited;      /* `exit_status` holds */
    int exit_status;
    int signal;       /* that ended it; 0: none */
    bool signalled;   /* a signal had been sent to it, by process_end or at its deadline */
    bool timed_out;   /* it was ended at its deadline */
    bool too_large;   /* it was ended for writing too much */
    bool sent;        /* at least one byte of the input was handed over */
    struct recourse_span output;
    struct recourse_span errors;
    const char *detail; /* English, NUL-terminated, why there is no exit status of its own; "" otherwise */
};

struct recourse_process;

/* Bits of `events`. */
#define RECOURSE_READABLE 1u
#define RECOURSE_WRITABLE 2u

struct recourse_port {
    uint32_t size; /* sizeof(struct recourse_port) */
    void *self;    /* first argument of each function */

    uint64_t (*now_ms)(void *self);  /* monotonic */
    uint64_t (*wall_s)(void *self);  /* seconds since 1970; 0: unknown */
    int (*random)(void *self, void *bytes, size_t size);

    /* Watches `fd` until unwatch; `events` 0 keeps the watch but asks for nothing. One watch per descriptor. */
    int (*watch)(void *self, int fd, unsigned events, void (*ready)(void *user, int fd, unsigned events), void *user);
    void (*unwatch)(void *self, int fd);

    /*
     * Starts an exchange. `request` and all it points to must live until `done` or http_cancel. `done` is called exactly
     * once, from poll or dispatch, unless the exchange is cancelled; `response` lives until it returns. `*transfer` is
     * valid until then. Errors: RECOURSE_E_ARGUMENT (URL or method), RECOURSE_E_MEMORY, RECOURSE_E_AGAIN.
     */
    int (*http_start)(void *self, const struct recourse_http_request *request,
                      void (*done)(void *user, const struct recourse_http_response *response), void *user,
                      struct recourse_transfer **transfer);
    /* Ends an exchange without `done`. Returns whether a byte of the request had been sent. */
    bool (*http_cancel)(void *self, struct recourse_transfer *transfer);
    /* The other side has shown elsewhere that it is at work on it: read_timeout_ms counts from now. NULL: only bytes move it. */
    void (*http_touch)(void *self, struct recourse_transfer *transfer);
    /* `keep` has said "not now": it is asked again, perhaps from within this call. Never from a callback. NULL: this port does
       not wait, and `keep` is not to be set. */
    void (*http_resume)(void *self, struct recourse_transfer *transfer);

    /*
     * Starts a program in a process group of its own, with default signals and no other descriptors than its standard
     * ones. `request` and all it points to must live until `done` or process_cancel. `done` is called exactly once, from
     * poll or dispatch, when the process has gone, unless it was cancelled; also where it could not be started. `result`
     * lives until it returns. A child that somebody else has waited for has no exit status. What it leaves running
     * without having been ended runs on. Errors: RECOURSE_E_ARGUMENT, RECOURSE_E_MEMORY, RECOURSE_E_SYSTEM (no
     * descriptors); nothing was started then.
     * These three and process_resume may be NULL: such a port has no command tools.
     */
    int (*process_start)(void *self, const struct recourse_process_request *request,
                         void (*done)(void *user, const struct recourse_process_result *result), void *user,
                         struct recourse_process **process);
    /*
     * Begins to end its group: SIGTERM, and after the grace SIGKILL; `done` comes when it has gone. One that is talked with
     * has its input closed first, and time to go by itself. False if it had never been started: then it is gone already,
     * without `done`.
     */
    bool (*process_end)(void *self, struct recourse_process *process);
    /* The same, but `done` never comes, and the request is not needed any more. Returns whether it had been started. */
    bool (*process_cancel)(void *self, struct recourse_process *process);
    /* As http_resume. */
    void (*process_resume)(void *self, struct recourse_process *process);
    /*
     * Hands bytes to a process that is talked with, as many as fit without waiting; `*taken` says how many. After less than
     * all `writable` comes. Errors, with which no byte more will be taken: RECOURSE_E_STATE (it was not started, has gone
     * or is being ended: `done` tells), RECOURSE_E_SYSTEM (it has closed its input), RECOURSE_E_MEMORY (`writable` would
     * never come). NULL: such a port has no servers on standard input and output.
     */
    int (*process_write)(void *self, struct recourse_process *process, const char *bytes, size_t size, size_t *taken);
    /* What is kept of its standard error so far; valid until the port is called again. NULL: nobody can tell. */
    struct recourse_span (*process_errors)(void *self, const struct recourse_process *process);

    /*
     * Runs `work(user)` on a thread. Errors: RECOURSE_E_AGAIN (the queue is full), RECOURSE_E_SYSTEM.
     * Whoever is told by the work that it is done does that through `wake` and its own memory.
     */
    int (*submit)(void *self, void (*work)(void *user), void *user);

    /* From any thread: makes the poll under way (or the next one) return at once. */
    void (*wake)(void *self);

    /* Own loop: waits up to `timeout_ms` (0: not at all; UINT64_MAX: without end) and dispatches what is ready. */
    int (*poll)(void *self, uint64_t timeout_ms);

    /* A host's loop: one descriptor that is readable when `dispatch` has something to do, and the latest moment at which
       dispatch wants to be called (UINT64_MAX: none). Ask for it after every call. */
    int (*descriptor)(void *self);
    uint64_t (*wake_ms)(void *self);
    int (*dispatch)(void *self);

    /* By how much now_ms may lag behind the true time, because it shows a finer clock in whole milliseconds: 1 for such a
       clock. Each wait gets that much longer, so that none ends early. 0: the clock is exact, as a simulated one is. */
    uint64_t lag_ms;

    /* Nanoseconds since 1970, for the times of spans (recourse/spans.h); 0: unknown. NULL: wall_s has to do. */
    uint64_t (*wall_ns)(void *self);
};

struct recourse_port_options {
    size_t size; /* sizeof(struct recourse_port_options) */
    const struct recourse_allocator *allocator; /* NULL: malloc */
    unsigned threads_max;     /* worker threads, started when needed; 0: 4 */
    unsigned queue_max;       /* work waiting for a thread; 0: 1024 */
    unsigned connections_idle_max; /* kept open, for every 64 exchanges at once; 0: 64 */
    /*
     * The host's own threads, instead of ours; NULL: ours. Runs `work(argument)` once, on any thread but this one, and
     * returns 0, or RECOURSE_E_AGAIN or another code where it never will. What still runs when the port is freed is not
     * waited for, and does not touch the port.
     */
    int (*submit)(void *user, void (*work)(void *argument), void *argument);
    void *submit_user;
    /*
     * HTTP/2 over TLS, where servers offer it. For servers that are trusted: one that floods its connection can keep libcurl at work
     * for longer than any deadline, and an answer that waits for room holds up the others on its connection.
     */
    bool http2;
};

/*
 * The real port. libcurl must be initialised for its HTTP: call recourse_global_init before, or curl_global_init where the
 * host uses libcurl itself; the library never does that unasked. Free it after its runner; work still running on its
 * threads is waited for.
 * Processes that are being ended keep what is left of their grace, others are killed; all are reaped. Errors:
 * RECOURSE_E_ABI (options of another size), RECOURSE_E_ARGUMENT, RECOURSE_E_MEMORY, RECOURSE_E_SYSTEM (no descriptors).
 */
RECOURSE_MUST_USE int recourse_port_new(const struct recourse_port_options *options, struct recourse_port **port,
                                        struct recourse_error *error);
void recourse_port_free(struct recourse_port *port);
/*
 * [signal handler] Kills all processes that a real port has started and that have not gone, with their groups, and tells nobody:
 * for a process that ends at once and would leave them behind. In the thread that uses the port; what a handler may not do is
 * not done.
 */
void recourse_port_kill(const struct recourse_port *port);

/*
 * curl_global_init, for hosts that don't use libcurl themselves; call it first in main. From libcurl 7.84.0 on, where that may
 * happen on any thread, it is done with the first HTTP exchange of a port: a host that has none is spared its memory.
 * recourse_global_cleanup, called as often, undoes it; the ports were freed before.
 */
RECOURSE_MUST_USE int recourse_global_init(void);
void recourse_global_cleanup(void);

#ifdef __cplusplus
}
#endif
#endif
