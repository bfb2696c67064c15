// The program break moves up and down by itself, or only up.
// truth: {"leak": true, "args": ["up"], "culprit": "main|brk", "slope": [120000, 140000], "per": "iteration"}
// truth: {"leak": false, "args": ["both"]}
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **words) {
    int up = count > 1 && strcmp(words[1], "up") == 0;
    for (int step = 1; step <= 200; step++) {
        char *block = sbrk(131072);
        memset(block, step, 131072);
        if (!up) sbrk(-131072);
        usleep(30000);
        dprintf(1, "step %d/200 loss %.4f\n", step, 1.0 / step);
    }
    return 0;
}
