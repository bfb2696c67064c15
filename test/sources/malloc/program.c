// Blocks of many sizes, some given back, in the first arena and in those of threads; then what mallinfo2 counts, and it waits.
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *volatile kept;
static atomic_int working;

static void churn(int blocks) {
  void **all = malloc(blocks * sizeof *all);
  for (int i = 0; i < blocks; i++) all[i] = memset(malloc(40 + i % 5000), 1, 40);
  for (int i = 0; i < blocks; i++)
    if (i % 3) free(all[i]);
  kept = all;
}

static void *work(void *unused) {
  churn(20000);
  working--;
  pause();
  return unused;
}

int main(int count, char **words) {
  static char output[8192];
  setvbuf(stdout, output, _IOFBF, sizeof output);
  if (count > 2 && !strcmp(words[2], "own")) memset(sbrk(1 << 20), 7, 1 << 20);
  mallopt(M_MXFAST, 0);
  churn(30000);
  kept = memset(malloc(5 << 20), 1, 5 << 20);
  working = atoi(words[1]);
  for (int i = working; i > 0; i--) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
  }
  while (working) usleep(10000);
  if (count > 2 && !strcmp(words[2], "trim")) malloc_trim(0);
  if (count > 2 && !strcmp(words[2], "fork") && fork() > 0) pause();
  struct mallinfo2 now = mallinfo2();
  printf("%d %zu %zu\n", getpid(), now.uordblks + now.hblkhd, now.fordblks);
  fflush(stdout);
  pause();
}
