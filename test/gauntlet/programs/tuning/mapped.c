// Anonymous memory that is mapped and given back, or forgotten.
// truth: {"leak": false, "args": ["unmap"]}
// truth: {"leak": true, "args": ["forget"], "culprit": "main|mapp", "slope": [400000, 420000], "per": "iteration"}
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int count, char **words) {
    int forget = count > 1 && strcmp(words[1], "forget") == 0;
    for (int step = 1; step <= 200; step++) {
        for (int i = 0; i < 4; i++) {
            size_t size = i == 0 ? 409600 : 1 << 20;
            char *block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            memset(block, step, size);
            if (i > 0 || !forget) munmap(block, size);
        }
        usleep(30000);
        printf("step %d/200 loss %.4f\n", step, 1.0 / step);
        fflush(stdout);
    }
    return 0;
}
