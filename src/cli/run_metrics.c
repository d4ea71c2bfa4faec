#include "run_metrics.h"

#include "cli.h"
#include "files.h"
#include "src/io/buffer.h"

struct text {
    struct rcs_buffer buffer;
    int code;
};

static void append(void *user, struct recourse_span piece)
{
    struct text *text = user;

    text->code = text->code == 0 ? rcs_buffer_append(&text->buffer, piece.data, piece.size) : text->code;
}

bool rcs_run_metrics_write(struct recourse_metrics *metrics, const char *path)
{
    struct text text = {.code = 0};
    const char *why = "out of memory";
    bool good;

    if (path == NULL) {
        return true;
    }
    rcs_buffer_init(&text.buffer, NULL, SIZE_MAX / 2);
    if (metrics != NULL) {
        recourse_metrics_write(metrics, append, &text);
    }
    good = metrics != NULL && text.code == 0 &&
           rcs_files_replace(path, 0666, text.buffer.data, text.buffer.size, &why);
    if (!good) {
        rcs_cli_error("run", "%s: the metrics can't be written: %s", path, why);
    }
    rcs_buffer_clear(&text.buffer);
    recourse_metrics_free(metrics);
    return good;
}
