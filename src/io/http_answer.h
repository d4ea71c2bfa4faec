/* What a server answered, gathered from the lines and blocks as libcurl hands them over. No I/O. */
#ifndef RCS_IO_HTTP_ANSWER_H
#define RCS_IO_HTTP_ANSWER_H

#include "src/io/buffer.h"

/* All header lines of one exchange together: interim answers and trailers count too. */
#define RCS_HTTP_HEAD_MAX 65536u
/* And so many of them: libcurl keeps each in a block of its own. */
#define RCS_HTTP_HEAD_LINES_MAX 1000u

enum rcs_answer_stage {
    RCS_ANSWER_START = 0,  /* no status line, or an interim answer is over */
    RCS_ANSWER_HEAD = 1,   /* within the header */
    RCS_ANSWER_BODY = 2    /* the header of the last answer is complete */
};

struct rcs_answer {
    enum rcs_answer_stage stage;
    uint16_t status; /* of the answer under way; 0: none */
    bool too_large;
    bool head_too_large; /* and that is what is too large */
    bool no_memory;
    bool any_encoding;   /* whoever asked has named the encodings itself */
    bool has_length;     /* `length` holds */
    bool has_chunks;     /* its body says itself where it ends */
    const char *refused; /* why what came is no answer; NULL: nothing is wrong */
    unsigned encodings;  /* of the body, one within the other */
    uint64_t length;     /* as the header says */
    size_t head_bytes;
    size_t head_lines;
    size_t header_count;
    size_t phrase_size;
    struct rcs_buffer head; /* the phrase and a line feed, then "name:value\n" for each header */
    struct rcs_buffer body;
    struct recourse_header *headers; /* made by rcs_answer_finish, into `head` */
    size_t header_room;              /* headers that there is memory for */
};

void rcs_answer_init(struct rcs_answer *answer, const struct recourse_allocator *allocator, size_t body_max);
void rcs_answer_clear(struct rcs_answer *answer);
/* For the next answer: as after rcs_answer_init, but what isn't large keeps its memory. */
void rcs_answer_reset(struct rcs_answer *answer);
/* One line of a header, line ending included. A new status line forgets what an interim answer (1xx) said; trailers are
   left out. Returns false if the exchange must stop: `too_large`, `no_memory` or `refused` says why. */
bool rcs_answer_line(struct rcs_answer *answer, const char *line, size_t size);
/* A block of the body. Returns as above; a block that is too large is cut to what fits. */
bool rcs_answer_block(struct rcs_answer *answer, const char *block, size_t size);
/* Whether the answer under way is one of 2xx with a body of this media type. */
bool rcs_answer_is_of_type(const struct rcs_answer *answer, const char *type);
/* Makes `headers`. Returns false if there is no memory for them. */
bool rcs_answer_finish(struct rcs_answer *answer);
struct recourse_span rcs_answer_phrase(const struct rcs_answer *answer);

#endif
