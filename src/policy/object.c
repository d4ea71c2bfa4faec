#include "src/policy/object.h"

#include <elf.h>
#include <link.h>
#include <string.h>

/* Of this process: what the loader would take. */
#define CLASS (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)

static bool is_within(uint64_t offset, uint64_t length, uint64_t size)
{
    return offset <= size && length <= size - offset;
}

/* The loader maps what a segment says, and reading past the file's end is a signal, not an error. */
static bool segments_are_there(const unsigned char *bytes, size_t size, const ElfW(Ehdr) *header)
{
    ElfW(Phdr) segment;

    for (size_t i = 0; i < header->e_phnum; i++) {
        memcpy(&segment, bytes + header->e_phoff + i * sizeof segment, sizeof segment);
        if (segment.p_type != PT_NULL && !is_within(segment.p_offset, segment.p_filesz, size)) {
            return false;
        }
    }
    return true;
}

const char *rcs_object_fault(const unsigned char *bytes, size_t size)
{
    ElfW(Ehdr) header;

    if (size < SELFMAG || memcmp(bytes, ELFMAG, SELFMAG) != 0) {
        return "it is no shared object";
    }
    if (size < sizeof header) {
        return "the file is cut off";
    }
    memcpy(&header, bytes, sizeof header);
    if (header.e_ident[EI_CLASS] != CLASS) {
        return "it is for another kind of machine";
    }
    if (header.e_type != ET_DYN || header.e_phnum == 0 || header.e_phentsize != sizeof(ElfW(Phdr))) {
        return "it is no shared object";
    }
    if (!is_within(header.e_phoff, (uint64_t)header.e_phnum * header.e_phentsize, size) ||
        !segments_are_there(bytes, size, &header)) {
        return "the file is cut off";
    }
    return NULL;
}
