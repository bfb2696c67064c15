// A cache of a thousand answers: what is evicted loses its place and its key, and its body is forgotten, or freed too. Silent.
// truth: {"leak": true, "args": ["forgotten"], "culprit": "main|native|malloc|evicted", "slope": [780000, 900000], "per": "second", "why": "two hundred bodies a second of 4000 bytes"}
// truth: {"leak": false, "args": ["freed"], "why": "it is full after five seconds"}
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PLACES 1000
#define BODY 4000
#define RATE 200
#define SECONDS 50

struct entry {
    char *key;
    char *body;
};

static struct entry *cache[PLACES];

static void put(long number, int frees) {
    struct entry **place = &cache[(number * 7919) % PLACES];
    if (*place) {
        free((*place)->key);
        if (frees) free((*place)->body);
        free(*place);
    }
    struct entry *entry = malloc(sizeof *entry);
    char key[40];
    snprintf(key, sizeof key, "/answers/%ld", number);
    entry->key = strdup(key);
    entry->body = malloc(BODY);
    memset(entry->body, (int)number, BODY);
    *place = entry;
}

int main(int argc, char **argv) {
    int frees = argc > 1 && strcmp(argv[1], "freed") == 0;
    struct timespec began, now;
    clock_gettime(CLOCK_MONOTONIC, &began);
    double elapsed = 0;
    long number = 0;
    while (elapsed < SECONDS) {
        while (number < elapsed * RATE) put(number++, frees);
        usleep(20000);
        clock_gettime(CLOCK_MONOTONIC, &now);
        elapsed = (double)(now.tv_sec - began.tv_sec) + (double)(now.tv_nsec - began.tv_nsec) / 1e9;
    }
    printf("answers %ld\n", number);
    return 0;
}
