#include "hex.h"

void rcs_hex_write(const uint8_t *bytes, size_t size, char *text)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < size; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
}

static int digit_of(char byte)
{
    if (byte >= '0' && byte <= '9') {
        return byte - '0';
    }
    return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

bool rcs_hex_read(struct recourse_span text, uint8_t *bytes, size_t size)
{
    if (text.size != 2 * size) {
        return false;
    }
    for (size_t i = 0; i < size; i++) {
        int high = digit_of(text.data[2 * i]);
        int low = digit_of(text.data[2 * i + 1]);

        if (high < 0 || low < 0) {
            return false;
        }
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}
