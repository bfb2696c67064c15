/*
 * A stand-in for the NVIDIA management library: it plays back the script that HIGHWATER_STAND_IN
 * names. One word and its figures a line:
 *
 *   driver TEXT              init CODE MS         what nvmlInit answers, and how long it takes
 *   gpu UUID TOTAL RESERVED MINOR NAME            a card; sizes in MiB; MINOR −1: none
 *   slices GPU COUNT                              MIG: slices named after their card, a tenth each
 *   when FILE                what follows holds once there is such a file
 *   call N                   what follows holds from the Nth memory call on (all cards) on
 *   used GPU MIB             process GPU PID MIB  PID may be @FILE, which holds it; MIB may be na
 *   leave GPU                nobody is on the card any more
 *   fail GPU CODE            memory calls of the card answer so; 0 mends it
 *   mute GPU CODE            lists of processes of the card answer so
 *
 * -DOLD leaves out what old libraries lack; -DWIDE has the entries of the first drivers of series 535.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CARDS 16
#define PEOPLE 300
#define MIB 1048576ULL

typedef struct { char uuid[96], name[96]; uint64_t total, reserved, used; int minor, fail, mute, slices; } Card;
typedef struct { int gpu; unsigned pid; uint64_t bytes; } Person;

static Card cards[CARDS];
static Person people[PEOPLE];
static int count, crowd, calls, init_code, init_ms;
static char driver[96];

static unsigned pid_of(const char *word) {
  unsigned pid = 0;
  if (word[0] != '@') return (unsigned)atoi(word);
  FILE *file = fopen(word + 1, "r");
  if (!file) return 0;
  if (fscanf(file, "%u", &pid) != 1) pid = 0;
  fclose(file);
  return pid;
}

/* The state of this moment: the script from its top to the first line that is not due. */
static void play(void) {
  char line[512], word[256], figure[64];
  int gpu, number;
  double total, reserved;
  count = crowd = 0;
  FILE *script = fopen(getenv("HIGHWATER_STAND_IN"), "r");
  while (script && fgets(line, sizeof line, script)) {
    if (sscanf(line, "when %255s", word) == 1) { if (access(word, R_OK) != 0) break; }
    else if (sscanf(line, "call %d", &number) == 1) { if (calls < number) break; }
    else if (sscanf(line, "driver %95s", driver) == 1) continue;
    else if (sscanf(line, "init %d %d", &init_code, &init_ms) == 2) continue;
    else if (strncmp(line, "gpu ", 4) == 0) {
      Card *c = &cards[count++];
      memset(c, 0, sizeof *c);
      sscanf(line, "gpu %95s %lf %lf %d %95[^\n]", c->uuid, &total, &reserved, &c->minor, c->name);
      c->total = (uint64_t)total * MIB;
      c->reserved = (uint64_t)reserved * MIB;
    }
    else if (sscanf(line, "slices %d %d", &gpu, &number) == 2) cards[gpu].slices = number;
    else if (sscanf(line, "used %d %lf", &gpu, &total) == 2) cards[gpu].used = (uint64_t)total * MIB;
    else if (sscanf(line, "fail %d %d", &gpu, &number) == 2) cards[gpu].fail = number;
    else if (sscanf(line, "mute %d %d", &gpu, &number) == 2) cards[gpu].mute = number;
    else if (sscanf(line, "leave %d", &gpu) == 1) { for (int i = 0; i < crowd; i++) if (people[i].gpu == gpu) people[i].pid = 0; }
    else if (sscanf(line, "process %d %255s %63s", &gpu, word, figure) == 3 && crowd < PEOPLE) {
      Person p = { gpu, pid_of(word), strcmp(figure, "na") == 0 ? UINT64_MAX : (uint64_t)atof(figure) * MIB };
      for (int i = 0; i < crowd; i++) if (people[i].gpu == gpu && people[i].pid == p.pid) people[i].pid = 0;
      people[crowd++] = p;
    }
  }
  if (script) fclose(script);
}

/* Handles: 1000 + card, or 2000 + 100 * card + slice. */
static int card_of(uintptr_t h) { return h >= 2000 ? (int)(h - 2000) / 100 : (int)h - 1000; }
static int is_slice(uintptr_t h) { return h >= 2000; }
static Card *card(uintptr_t h) { play(); return &cards[card_of(h)]; }

int nvmlInit_v2(void) {
  play();
  struct timespec pause = { init_ms / 1000, init_ms % 1000 * 1000000L };
  nanosleep(&pause, NULL);
  return init_code;
}
int nvmlShutdown(void) { return 0; }
const char *nvmlErrorString(int code) {
  switch (code) {
    case 3: return "Not Supported";
    case 4: return "Insufficient Permissions";
    case 9: return "Driver Not Loaded";
    case 15: return "GPU is lost";
    default: return "Unknown Error";
  }
}
int nvmlSystemGetDriverVersion(char *text, unsigned length) { play(); snprintf(text, length, "%s", driver); return 0; }
int nvmlDeviceGetCount_v2(unsigned *n) { play(); *n = (unsigned)count; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, uintptr_t *handle) { *handle = 1000 + index; return 0; }
int nvmlDeviceGetMinorNumber(uintptr_t h, unsigned *minor) { *minor = (unsigned)card(h)->minor; return card(h)->minor < 0 ? 3 : 0; }
int nvmlDeviceGetUUID(uintptr_t h, char *text, unsigned length) {
  Card *c = card(h);
  if (is_slice(h)) snprintf(text, length, "MIG-%s-%d", c->uuid, (int)h % 100);
  else snprintf(text, length, "%s", c->uuid);
  return 0;
}
int nvmlDeviceGetName(uintptr_t h, char *text, unsigned length) {
  snprintf(text, length, is_slice(h) ? "%s MIG" : "%s", card(h)->name);
  return 0;
}
static int memory(uintptr_t h, uint64_t *total, uint64_t *reserved, uint64_t *used) {
  calls++;
  Card *c = card(h);
  if (c->fail) return c->fail;
  uint64_t part = is_slice(h) ? 10 : 1;
  *total = c->total / part;
  *reserved = c->reserved / part;
  *used = c->used / part;
  return 0;
}
#ifndef OLD
typedef struct { unsigned version; uint64_t total, reserved, free, used; } MemoryV2;
int nvmlDeviceGetMemoryInfo_v2(uintptr_t h, MemoryV2 *m) {
  if (m->version != (sizeof *m | 2u << 24)) return 25;
  int code = memory(h, &m->total, &m->reserved, &m->used);
  m->free = m->total - m->reserved - m->used;
  return code;
}
int nvmlDeviceGetMigMode(uintptr_t h, unsigned *now, unsigned *pending) {
  *now = *pending = card(h)->slices > 0;
  return 0;
}
int nvmlDeviceGetMaxMigDeviceCount(uintptr_t h, unsigned *n) { (void)h; *n = 7; return 0; }
int nvmlDeviceGetMigDeviceHandleByIndex(uintptr_t h, unsigned index, uintptr_t *slice) {
  if ((int)index >= card(h)->slices) return 6;
  *slice = 2000 + 100 * (uintptr_t)card_of(h) + index;
  return 0;
}
#endif
typedef struct { uint64_t total, free, used; } MemoryV1;
int nvmlDeviceGetMemoryInfo(uintptr_t h, MemoryV1 *m) {
  uint64_t reserved = 0;
  int code = memory(h, &m->total, &reserved, &m->used);
  m->used += reserved;
  m->free = m->total - m->used;
  return code;
}

typedef struct {
  unsigned pid;
  uint64_t used;
#ifndef OLD
  unsigned gpu_instance, compute_instance;
#endif
#ifdef WIDE
  uint64_t used_protected;
#endif
} Entry;
#ifdef OLD
#define LISTED(kind) nvmlDeviceGet##kind##RunningProcesses
#else
#define LISTED(kind) nvmlDeviceGet##kind##RunningProcesses_v3
#endif
int LISTED(Compute)(uintptr_t h, unsigned *n, Entry *entries) {
  Card *c = card(h);
  unsigned room = *n, here = 0;
  if (c->mute) return c->mute;
  for (int i = 0; i < crowd; i++) here += people[i].pid && people[i].gpu == card_of(h);
  *n = here;
  if (here > room) return 7;
  for (int i = 0, at = 0; i < crowd; i++) {
    if (!people[i].pid || people[i].gpu != card_of(h)) continue;
    Entry e = { .pid = people[i].pid, .used = people[i].bytes };
    entries[at++] = e;
  }
  return 0;
}
int LISTED(Graphics)(uintptr_t h, unsigned *n, Entry *entries) { (void)h; (void)n; (void)entries; return 3; }
