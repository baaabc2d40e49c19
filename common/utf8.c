/* Characters of UTF-8. See utf8.h. */
#include "common/utf8.h"

size_t vef_utf8_length(const unsigned char *text) {
    const size_t length = text[0] < 0x80                      ? 1
                          : text[0] >= 0xc2 && text[0] < 0xe0 ? 2
                          : text[0] >= 0xe0 && text[0] < 0xf0 ? 3
                          : text[0] >= 0xf0 && text[0] < 0xf5 ? 4
                                                              : 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xf0 && text[1] < 0x90) ||
        (text[0] == 0xed && text[1] > 0x9f) || (text[0] == 0xf4 && text[1] > 0x8f))
        return 0;
    return length;
}

size_t vef_utf8_visible(const unsigned char *text) {
    const size_t length = vef_utf8_length(text);
    if (length == 1)
        return text[0] >= 0x20 && text[0] < 0x7f;
    if (length == 2)
        return text[0] == 0xc2 && text[1] < 0xa0 ? 0 : length;
    if (length != 3)
        return length;
    const unsigned code = (text[0] & 15u) << 12 | (text[1] & 63u) << 6 | (text[2] & 63u);
    return (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) ||
                   code == 0xfeff || code >= 0xfffe
               ? 0
               : length;
}
