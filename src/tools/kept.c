#include "src/tools/kept.h"

#include <string.h>

size_t rcs_kept_size(const struct rcs_kept *kept)
{
    return kept->entries * sizeof(char *) + kept->used;
}

void rcs_kept_begin(struct rcs_kept *kept, void *room)
{
    kept->list = room;
    kept->at = (char *)(kept->list + kept->entries);
}

const char *rcs_kept_text(struct rcs_kept *kept, const char *text)
{
    char *copy = kept->at;
    size_t size;

    if (text == NULL) {
        return NULL;
    }
    size = strlen(text) + 1;
    kept->used += size;
    if (copy != NULL) {
        memcpy(copy, text, size);
        kept->at += size;
    }
    return copy;
}

const char *const *rcs_kept_list(struct rcs_kept *kept, const char *const *texts)
{
    const char **copy = kept->list;
    size_t count = 0;

    if (texts == NULL) {
        return NULL;
    }
    for (; texts[count] != NULL; count++) {
        const char *text = rcs_kept_text(kept, texts[count]);

        if (copy != NULL) {
            copy[count] = text;
        }
    }
    if (copy != NULL) {
        copy[count] = NULL;
        kept->list += count + 1;
    }
    kept->entries += count + 1;
    return copy;
}
