/*
 * Endless gzip: what a compressed answer has at its beginning, and bytes that may follow again and again. Made by hand, since no
 * library compresses what never ends. Each layer makes a hundred and more bytes out of one.
 */
#ifndef RCS_RUN_BOMB_H
#define RCS_RUN_BOMB_H

#include <stddef.h>
#include <stdint.h>

#define RCS_BOMB_MAX 256u

struct rcs_bomb {
    uint8_t head[RCS_BOMB_MAX];
    size_t head_size;
    uint8_t again[RCS_BOMB_MAX];
    size_t again_size;
};

/* gzip within gzip, `layers` times. Innermost is the letter x without end, or, if it is `empty`, nothing without end. */
void rcs_bomb_gzip(struct rcs_bomb *bomb, unsigned layers, int empty);
/* Writes it as words of the faulty server: " raw='HEAD...' endless='...'". */
void rcs_bomb_words(const struct rcs_bomb *bomb, const char *http_head, char *words, size_t size);

#endif
