// Blocks of changing sizes come and go, so that the heap has holes: it grows at first and then no more; its twin forgets one block in sixty.
// truth: {"leak": false, "args": ["holes"]}
// truth: {"leak": true, "args": ["forget"], "culprit": "main|malloc|fragments", "slope": [80000, 320000], "per": "iteration"}
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SLOTS 4000
static char *slots[SLOTS];

int main(int count, char **words) {
    int forget = count > 1 && strcmp(words[1], "forget") == 0;
    unsigned long seed = 1, forgotten = 0;
    for (int step = 1; step <= 240; step++) {
        for (int i = 0; i < 3000; i++) {
            seed = seed * 6364136223846793005UL + 1442695040888963407UL;
            int slot = (seed >> 33) % SLOTS;
            size_t size = 64 + (seed >> 40) % 6000;
            if (forget && i % 60 == 0) forgotten++;
            else free(slots[slot]);
            slots[slot] = malloc(size);
            memset(slots[slot], step, size);
        }
        usleep(25000);
        printf("step %d/240 loss %.4f kept %lu\n", step, 1.0 / step, forgotten);
        fflush(stdout);
    }
    return 0;
}
