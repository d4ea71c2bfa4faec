/* The page of a policy, put together: its frame is page/explain.html, where {{NAME}} stands for a part. */
#include "explain_page.h"

#include <openssl/evp.h>
#include <string.h>

#include "cli.h"

struct part {
    const char *name;
    const char *text;
    size_t size;
};

#define PARTS_MAX 12u

struct page {
    struct rcs_arena *arena;
    struct part parts[PARTS_MAX];
    size_t count;
};

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

static void add_part(struct page *page, const char *name, const char *text, size_t size)
{
    if (page->count < PARTS_MAX) {
        page->parts[page->count++] = (struct part){name, text, size};
    }
}

static void add_made(struct page *page, const char *name, const struct rcs_string *made)
{
    add_part(page, name, made->data == NULL ? "" : made->data, made->size);
}

static const struct rcs_page_file *file_of(const char *name)
{
    const struct rcs_page_file *file = rcs_page_files;

    while (strcmp(file->name, name) != 0) {
        file++;
    }
    return file;
}

/* What a Content-Security-Policy calls a text: 'sha256-...'. */
static const char *digest_of(struct rcs_arena *arena, const struct rcs_page_file *file)
{
    unsigned char digest[32];
    unsigned char text[48];
    unsigned size = 0;

    if (EVP_Digest(file->text, file->size, digest, &size, EVP_sha256(), NULL) != 1) {
        return "'none'";
    }
    EVP_EncodeBlock(text, digest, sizeof digest);
    return rcs_arena_format(arena, "'sha256-%s'", (const char *)text);
}

/* Nothing but the page's own script and style, and nothing from elsewhere. */
static const char *security(struct rcs_arena *arena)
{
    return rcs_arena_format(arena,
                            "default-src 'none'; script-src %s; style-src %s; img-src data:; base-uri 'none'; form-action 'none'",
                            digest_of(arena, file_of("explain.js")), digest_of(arena, file_of("explain.css")));
}

static void add_diagram(struct page *page, const char *diagram)
{
    const char *text = diagram != NULL ? diagram
                                       : "<p>There is no diagram: Graphviz could not draw one when this page was made.</p>";

    add_part(page, "diagram", text, strlen(text));
}

static void add_digests(struct page *page, const struct rcs_spec *spec)
{
    struct rcs_string out = {.arena = page->arena};

    rcs_append_text(&out, "file <code>");
    for (size_t i = 0; i < sizeof spec->file_sha256; i++) {
        rcs_append_text(&out, rcs_arena_format(page->arena, "%02x", spec->file_sha256[i]));
    }
    rcs_append_text(&out, "</code>, behaviour <code>");
    for (size_t i = 0; i < sizeof spec->behaviour_sha256; i++) {
        rcs_append_text(&out, rcs_arena_format(page->arena, "%02x", spec->behaviour_sha256[i]));
    }
    rcs_append_text(&out, "</code>");
    add_made(page, "digests", &out);
}

static const struct part *part_of(const struct page *page, const char *name, size_t size)
{
    for (size_t i = 0; i < page->count; i++) {
        if (strlen(page->parts[i].name) == size && memcmp(page->parts[i].name, name, size) == 0) {
            return &page->parts[i];
        }
    }
    return NULL;
}

/* Parts are put in, and not looked through: what looks like {{NAME}} in a policy stays what it is. */
static void fill(const struct page *page, const char *frame, struct rcs_string *out)
{
    const char *open;

    while ((open = strstr(frame, "{{")) != NULL) {
        const char *close = strstr(open, "}}");
        const struct part *part = part_of(page, open + 2, (size_t)(close - open - 2));

        rcs_append(out, frame, (size_t)(open - frame));
        if (part != NULL) {
            rcs_append(out, part->text, part->size);
        }
        frame = close + 2;
    }
    rcs_append_text(out, frame);
}

void rcs_page(const struct rcs_loaded *loaded, const char *diagram, struct rcs_string *out)
{
    const struct rcs_spec *spec = loaded->spec;
    struct rcs_arena *arena = out->arena;
    struct page page = {.arena = arena};
    struct rcs_string made[5] = {{.arena = arena}, {.arena = arena}, {.arena = arena}, {.arena = arena}, {.arena = arena}};
    const struct rcs_page_file *script = file_of("explain.js");
    const struct rcs_page_file *style = file_of("explain.css");
    const char *csp = security(arena);
    struct rcs_paths paths;

    rcs_paths_find(arena, loaded->machine, &loaded->worst, &paths);
    rcs_page_text(&made[0], spec->name);
    rcs_page_policy(spec, &made[1]);
    rcs_page_worst(&paths, &made[2]);
    rcs_page_paths(&paths, &made[3]);
    rcs_page_machine(loaded, &made[4]);
    add_part(&page, "security", csp, strlen(csp));
    add_part(&page, "style", (const char *)style->text, style->size);
    add_part(&page, "script", (const char *)script->text, script->size);
    add_made(&page, "name", &made[0]);
    add_made(&page, "policy", &made[1]);
    add_made(&page, "worst", &made[2]);
    add_made(&page, "paths", &made[3]);
    add_made(&page, "machine", &made[4]);
    add_digests(&page, spec);
    add_diagram(&page, diagram);
    fill(&page, (const char *)file_of("explain.html")->text, out);
}
