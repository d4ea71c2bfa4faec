/* Replays the seeds of a fuzz target with a plain main: every file of the folders named, and each of its prefixes. */
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SEED_MAX 65536u

static bool replay_file(const char *path)
{
    static uint8_t seed[SEED_MAX];
    FILE *file = fopen(path, "rb");
    size_t size;

    if (file == NULL) {
        return false;
    }
    size = fread(seed, 1, sizeof seed, file);
    fclose(file);
    for (size_t length = 0; length <= size; length += length < 512 ? 1 : 97) {
        uint8_t *copy = malloc(length + 1); /* of its own, so that the sanitizer sees every byte read beyond it */

        if (copy == NULL) {
            return false;
        }
        for (size_t i = 0; i < length; i++) {
            copy[i] = seed[i];
        }
        LLVMFuzzerTestOneInput(copy, length);
        free(copy);
    }
    return true;
}

int main(int count, char **arguments)
{
    unsigned replayed = 0;
    unsigned unread = 0;

    for (int i = 1; i < count; i++) {
        DIR *folder = opendir(arguments[i]);
        const struct dirent *entry;

        while (folder != NULL && (entry = readdir(folder)) != NULL) {
            char path[4096];

            if (entry->d_name[0] != '.') {
                snprintf(path, sizeof path, "%s/%s", arguments[i], entry->d_name);
                *(replay_file(path) ? &replayed : &unread) += 1;
            }
        }
        if (folder != NULL) {
            closedir(folder);
        }
    }
    printf("seeds: %u passed, %u failed\n", replayed, unread); /* a finding ends the program before this line */
    return replayed > 0 && unread == 0 ? 0 : 1;
}
