/* The page of a policy, put together: its frame is page/explain.html, where {{NAME}} stands for a part. */
#include "explain_page.h"

#include <string.h>

#include "cli.h"
#include "page_frame.h"

void rcs_page_text(struct rcs_string *out, const char *text)
{
    rcs_append_escaped(out, text, strlen(text));
}

void rcs_page_row(struct rcs_string *out, const char *id)
{
    rcs_append_text(out, "<a class=\"row\" href=\"#row-");
    rcs_page_text(out, id);
    rcs_append_text(out, "\">");
    rcs_page_text(out, id);
    rcs_append_text(out, "</a>");
}

/* Words are of letters, digits and a few marks, all of which may stand in a fragment; blanks are left out. */
void rcs_page_run(struct rcs_string *out, const char *words)
{
    rcs_append_text(out, "<a class=\"run\" href=\"#run=");
    for (const char *at = words; *at != '\0'; at++) {
        if (*at != ' ') {
            rcs_append_escaped(out, at, 1);
        }
    }
    rcs_append_text(out, "\">");
    rcs_page_text(out, words);
    rcs_append_text(out, "</a>");
}

const char *rcs_page_words(struct rcs_arena *arena, const struct rcs_spec *spec, const struct rcs_spec_run *run)
{
    const char *words = "";

    for (size_t i = 0; i < run->word_count; i++) {
        words = rcs_arena_format(arena, "%s%s%s", words, i == 0 ? "" : ", ", rcs_word_text(arena, spec, &run->words[i]));
    }
    return words;
}

/* ---- parts ---- */

static void add_diagram(struct rcs_frame *frame, const char *diagram)
{
    const char *text = diagram != NULL ? diagram
                                       : "<p>There is no diagram: Graphviz could not draw one when this page was made.</p>";

    rcs_frame_add(frame, "diagram", text, strlen(text));
}

static void add_digests(struct rcs_frame *frame, const struct rcs_spec *spec)
{
    struct rcs_string out = {.arena = frame->arena};

    rcs_append_text(&out, "file <code>");
    for (size_t i = 0; i < sizeof spec->file_sha256; i++) {
        rcs_append_text(&out, rcs_arena_format(frame->arena, "%02x", spec->file_sha256[i]));
    }
    rcs_append_text(&out, "</code>, behaviour <code>");
    for (size_t i = 0; i < sizeof spec->behaviour_sha256; i++) {
        rcs_append_text(&out, rcs_arena_format(frame->arena, "%02x", spec->behaviour_sha256[i]));
    }
    rcs_append_text(&out, "</code>");
    rcs_frame_add_made(frame, "digests", &out);
}

void rcs_page(const struct rcs_loaded *loaded, const char *diagram, struct rcs_string *out)
{
    const struct rcs_spec *spec = loaded->spec;
    struct rcs_arena *arena = out->arena;
    struct rcs_frame frame = {.arena = arena};
    struct rcs_string made[5] = {{.arena = arena}, {.arena = arena}, {.arena = arena}, {.arena = arena}, {.arena = arena}};
    struct rcs_paths paths;

    rcs_paths_find(arena, loaded->machine, &loaded->worst, &paths);
    rcs_page_text(&made[0], spec->name);
    rcs_page_policy(spec, &made[1]);
    rcs_page_worst(&paths, &made[2]);
    rcs_page_paths(&paths, &made[3]);
    rcs_page_machine(loaded, &made[4]);
    rcs_frame_add_security(&frame, "explain.js", "explain.css", NULL);
    rcs_frame_add_file(&frame, "style", "explain.css");
    rcs_frame_add_file(&frame, "script", "explain.js");
    rcs_frame_add_made(&frame, "name", &made[0]);
    rcs_frame_add_made(&frame, "policy", &made[1]);
    rcs_frame_add_made(&frame, "worst", &made[2]);
    rcs_frame_add_made(&frame, "paths", &made[3]);
    rcs_frame_add_made(&frame, "machine", &made[4]);
    add_digests(&frame, spec);
    add_diagram(&frame, diagram);
    rcs_frame_fill(&frame, "explain.html", out);
}
