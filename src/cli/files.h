/* Whole files in, whole files out. */
#ifndef RCS_FILES_H
#define RCS_FILES_H

#include <stdbool.h>
#include <stddef.h>

/* Reads all of a stream (`path` "-": stdin) up to `max` bytes, NUL-terminated, to be freed. NULL with `*why` set. */
char *rcs_files_read(const char *path, size_t max, size_t *size, const char **why);

/*
 * Puts `data` in the place of what `path` holds, at once: it is written beside it and renamed; a mode that was there
 * stays, a new file has what the umask leaves of `fresh`. A symbolic link is followed. What is no regular file, and all in /dev, is written to as it stands.
 */
bool rcs_files_replace(const char *path, unsigned fresh, const void *data, size_t size, const char **why);

/* Whether rcs_files_replace is likely to succeed: asked before work is begun whose outcome would be lost. */
bool rcs_files_replaceable(const char *path, const char **why);

/* Whether two paths lead to one regular file, be it there or still to be made. */
bool rcs_files_same(const char *path, const char *other);

#endif
