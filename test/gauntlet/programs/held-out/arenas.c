// Four threads, each with an arena of glibc's: they allocate and free, or the first keeps a list.
// truth: {"leak": false, "args": ["churn"]}
// truth: {"leak": true, "args": ["keep"], "culprit": "main|malloc|arenas", "slope": [280000, 420000], "per": "iteration"}
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int keep;
static volatile int step;

static void *work(void *number) {
    int seen = 0;
    while (seen < 200) {
        if (step == seen) {
            usleep(1000);
            continue;
        }
        seen = step;
        for (int i = 0; i < 200; i++) {
            size_t size = 500 + 20 * (i % 117);
            char *block = malloc(size);
            memset(block, i, size);
            if (!keep || number != NULL) free(block);
        }
    }
    return NULL;
}

int main(int count, char **words) {
    keep = count > 1 && strcmp(words[1], "keep") == 0;
    pthread_t threads[4];
    for (long i = 0; i < 4; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    for (int next = 1; next <= 200; next++) {
        step = next;
        usleep(30000);
        printf("step %d/200 loss %.4f\n", next, 1.0 / next);
        fflush(stdout);
    }
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    return 0;
}
