/* Pages that need nothing but their file. A page's frame is a file of page/, where {{NAME}} stands for a part. */
#ifndef RCS_PAGE_FRAME_H
#define RCS_PAGE_FRAME_H

#include "gen/arena.h"

/* The files of src/cli/page. */
struct rcs_page_file {
    const char *name;
    const unsigned char *text; /* a zero byte follows it */
    size_t size;
};
extern const struct rcs_page_file rcs_page_files[]; /* ends with a NULL name */

#define RCS_FRAME_PARTS_MAX 12u

/* With its arena set and the rest zeroed, it is ready. Names and texts are borrowed. */
struct rcs_frame {
    struct rcs_arena *arena;
    struct rcs_frame_part {
        const char *name;
        const char *text;
        size_t size;
    } parts[RCS_FRAME_PARTS_MAX];
    size_t count;
};

void rcs_frame_add(struct rcs_frame *frame, const char *name, const char *text, size_t size);
/* What was made in an arena; nothing yet is an empty part. */
void rcs_frame_add_made(struct rcs_frame *frame, const char *name, const struct rcs_string *made);
/* A file of page/. */
void rcs_frame_add_file(struct rcs_frame *frame, const char *name, const char *file);
/* The part `security`: nothing but the page's own script and style (files of page/; `more_style` may be NULL), and nothing
   from elsewhere. */
void rcs_frame_add_security(struct rcs_frame *frame, const char *script, const char *style, const char *more_style);

/* Parts are put in, and not looked through: what looks like {{NAME}} in one stays what it is. */
void rcs_frame_fill(const struct rcs_frame *frame, const char *file, struct rcs_string *out);

/* JSON to stand in a script element: a `<` is in texts alone, where it may be written as an escape; HTML sees the end of a
   script in `</script`. */
void rcs_frame_append_json(struct rcs_string *out, const char *json, size_t size);

#endif
