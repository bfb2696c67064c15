// A library that forgets what it allocated, or frees it.
// truth: {"leak": true, "args": ["forget"], "culprit": "main|malloc", "slope": [131000, 140000], "per": "iteration", "quick": true}
// truth: {"leak": false, "args": ["free"], "quick": true}
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **words) {
    int forget = count > 1 && strcmp(words[1], "forget") == 0;
    for (int step = 1; step <= 200; step++) {
        for (int i = 0; i < 64; i++) {
            char *block = malloc(2048);
            memset(block, step, 2048);
            if (!forget) free(block);
        }
        usleep(25000);
        printf("step %d/200 loss %.4f\n", step, 1.0 / step);
        fflush(stdout);
    }
    return 0;
}
