/* Leaves a daemon behind that holds argv[1] MiB, and little else: without an interpreter the truth is
   known. The daemon writes what the kernel says of it to argv[2] and ends when that file is gone. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
  size_t bytes = (size_t)atoi(argv[1]) << 20;
  if (argc < 3) return 2;
  if (fork() == 0) {
    setsid();
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; fd++) dup2(null, fd);
    char *held = malloc(bytes);
    memset(held, 1, bytes);
    char line[256];
    FILE *out = fopen(argv[2], "w");
    FILE *in = fopen("/proc/self/smaps_rollup", "r");
    while (fgets(line, sizeof line, in)) fputs(line, out);
    fclose(out);
    for (int i = 0; i < 600 && access(argv[2], F_OK) == 0; i++) usleep(50000);
    return held[0] - 1;
  }
  usleep(500000);
  return 0;
}
