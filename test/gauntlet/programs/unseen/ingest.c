// What comes in is kept in one block that realloc makes longer, in a ring, in a linked list without an end or with one;
// and a thread for each batch hands over a result that is forgotten, or freed.
// truth: {"leak": true, "args": ["realloc"], "culprit": "main|native|malloc|ingest", "slope": [99000, 108000], "per": "iteration"}
// truth: {"leak": false, "args": ["ring"]}
// truth: {"leak": true, "args": ["list"], "culprit": "main|native|malloc|ingest", "slope": [110000, 124000], "per": "iteration"}
// truth: {"leak": false, "args": ["list-trimmed"]}
// truth: {"leak": true, "args": ["results-forgotten"], "culprit": "main|native|malloc|ingest", "slope": [118000, 132000], "per": "iteration"}
// truth: {"leak": false, "args": ["results-freed"]}
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STEPS 240
#define CHUNK 102400
#define NODES 1000
#define RESULT 40000

struct node {
    struct node *next;
    char line[96];
};

static char *block, *ring[16];
static struct node *first, **last = &first;
static int nodes;

static void append(int step) {
    block = realloc(block, (size_t)(step + 1) * CHUNK);
    memset(block + (size_t)step * CHUNK, step, CHUNK);
}

static void turn(int step) {
    char **slot = &ring[step % 16];
    *slot = realloc(*slot, CHUNK);
    memset(*slot, step, CHUNK);
}

static void list(int step, int trim) {
    for (int i = 0; i < NODES; i++, nodes++) {
        struct node *node = malloc(sizeof *node);
        node->next = NULL;
        snprintf(node->line, sizeof node->line, "%d:%d", step, i);
        *last = node;
        last = &node->next;
    }
    while (trim && nodes > 5 * NODES) {
        struct node *oldest = first;
        first = oldest->next;
        free(oldest);
        nodes--;
    }
}

static void *result(void *of) {
    char *bytes = malloc(RESULT);
    memset(bytes, (int)(size_t)of, RESULT);
    return bytes;
}

static void batch(int step, int release) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, result, (void *)(size_t)step);
    for (int i = 0; i < 3; i++) {
        void *bytes;
        pthread_join(threads[i], &bytes);
        if (release) free(bytes);
    }
}

int main(int count, char **words) {
    const char *mode = count > 1 ? words[1] : "";
    for (int step = 0; step < STEPS; step++) {
        if (strcmp(mode, "realloc") == 0) append(step);
        if (strcmp(mode, "ring") == 0) turn(step);
        if (strncmp(mode, "list", 4) == 0) list(step, strcmp(mode, "list-trimmed") == 0);
        if (strncmp(mode, "results", 7) == 0) batch(step, strcmp(mode, "results-freed") == 0);
        usleep(42000);
        printf("step %d/%d loss %.4f\n", step + 1, STEPS, 1.0 / (step + 1));
        fflush(stdout);
    }
    return 0;
}
