/* Takes memory and writes into it, as a C extension does; `back`: and gives it back. */
#include <stdlib.h>
#include <string.h>

void take(size_t size, int back)
{
    /* In pieces, as libraries ask for them. */
    for (size_t done = 0; done < size; done += 16384) {
        char *piece = malloc(16384);
        memset(piece, 1, 16384);
        if (back) free(piece);
    }
}
