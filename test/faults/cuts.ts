import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ELSEWHERE, highwater, place, shortFlags, sleep, start } from '../support/recorder.ts';
import { runLine, shell } from '../support/shell.ts';

/**
 * Recordings cut short in every way there is. The workload holds most of its memory at its very end, over
 * the limit that each is checked against: whatever was cut off, `check` may say so or that it cannot tell,
 * and never that all is well.
 */
const WORKLOAD = [
  process.execPath,
  '-e',
  `setTimeout(() => {
    globalThis.kept = Buffer.alloc(200 * 2 ** 20, 1);
    setTimeout(() => {}, 400);
  }, 1800)`,
];
const LIMIT = 'tree.rss<=150MiB';

/** What became of one of them. */
export interface CutResult {
  readonly cut: string;
  /** null: there is none, as it was cut before anything was written, and `record` or `check` said so. */
  readonly complete: boolean | null;
  /** Where it stopped and why, in the words of the report; '' where it is whole. */
  readonly says: string;
  readonly exit: number | null;
  /** What must not be; null where all is right. */
  readonly wrong: string | null;
}

const RECORD = (folder: string) => [...shortFlags(folder), '--rate', '400', '--', ...WORKLOAD];

/** kill -9 of the recorder, so long after it was started. */
export async function killedAfter(ms: number): Promise<CutResult> {
  const folder = place();
  const { child, finished } = start(RECORD(folder), { stdio: 'ignore' });
  await sleep(ms);
  child.kill('SIGKILL');
  await finished;
  return judged(`killed after ${Math.round(ms)} ms`, folder);
}

/** A disk with so much room; it is made of memory. */
export async function fullAfter(kib: number): Promise<CutResult> {
  const disk = place('disk');
  mkdirSync(disk);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kib}k`, 'highwater-test', disk]);
  try {
    const folder = join(disk, 'run.hw');
    // Where nothing fits it is recorded in the home: not in that of whoever runs the tests.
    await start(RECORD(folder), { stdio: 'ignore', env: ELSEWHERE }).finished;
    return await judged(`disk full at ${kib} KiB`, folder);
  } finally {
    execFileSync('umount', [disk]);
  }
}

/** No file may be larger. */
export async function limitedTo(kib: number): Promise<CutResult> {
  const folder = place();
  await runLine(`ulimit -f ${2 * kib}; ${shell(...RECORD(folder))} >/dev/null 2>&1; true`);
  return judged(`files limited to ${kib} KiB`, folder);
}

/** No more may be written in all, by what a program has instead of a kernel's quota. */
export async function overQuotaOf(kib: number): Promise<CutResult> {
  const folder = place();
  const env = { ...ELSEWHERE, LD_PRELOAD: quotaLibrary(), QUOTA_KIB: String(kib) };
  await start(RECORD(folder), { stdio: 'ignore', env }).finished;
  return judged(`quota of ${kib} KiB`, folder);
}

/** Writes that make files of a recording larger fail once there are too many of them; in place they go on. */
const QUOTA_C = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <unistd.h>
#include <sys/stat.h>
static long used;
static int refused(int fd, size_t count, off_t end) {
  char link[64], path[4096]; struct stat at;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(link, path, sizeof path - 1);
  if (n < 0) return 0;
  path[n] = 0;
  if (!strstr(path, "run.hw/") || fstat(fd, &at) || end <= at.st_size) return 0;
  used += end - at.st_size;
  return used > atol(getenv("QUOTA_KIB")) * 1024;
}
#define WRAP(name, offset_t) \\
ssize_t name(int fd, const void *data, size_t count, offset_t offset) { \\
  static ssize_t (*real)(int, const void *, size_t, offset_t); \\
  if (!real) real = dlsym(RTLD_NEXT, #name); \\
  if (refused(fd, count, offset + count)) { errno = EDQUOT; return -1; } \\
  return real(fd, data, count, offset); \\
}
WRAP(pwrite, off_t)
WRAP(pwrite64, off64_t)
ssize_t write(int fd, const void *data, size_t count) {
  static ssize_t (*real)(int, const void *, size_t);
  if (!real) real = dlsym(RTLD_NEXT, "write");
  off_t at = lseek(fd, 0, SEEK_CUR);
  if (at >= 0 && refused(fd, count, at + count)) { errno = EDQUOT; return -1; }
  return real(fd, data, count);
}`;

function quotaLibrary(): string {
  const [source, library] = [place('quota.c'), place('quota.so')];
  writeFileSync(source, QUOTA_C);
  execFileSync('gcc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl']);
  return library;
}

/** Opens what is there, as people and CI do. */
async function judged(cut: string, folder: string): Promise<CutResult> {
  const check = await highwater(['check', folder, '--peak', LIMIT]);
  if (!existsSync(join(folder, 'run.json'))) {
    const wrong = check.code === 2 ? null : `check exits with ${check.code} where nothing is`;
    return { cut, complete: null, says: 'nothing was recorded', exit: check.code, wrong };
  }
  const report = await highwater(['report', folder, '--json']);
  const text = await highwater(['report', folder]);
  if (report.code !== 0 || text.code !== 0) {
    return {
      cut,
      complete: false,
      says: '',
      exit: check.code,
      wrong: `report fails: ${report.stderr}`,
    };
  }
  const { trust } = JSON.parse(String(report.stdout));
  const [first = ''] = String(text.stdout).split('\n');
  const says = trust.stopped
    ? `stops at ${trust.stopped.seconds.toFixed(2)} s: ${trust.stopped.why}`
    : '';
  const { endedAt } = JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8'));
  return { cut, complete: trust.complete, says, exit: check.code, wrong: wrongWith() };

  function wrongWith(): string | null {
    if (check.code !== 3 && check.code !== 4) return `check exits with ${check.code}`;
    if (endedAt === null && trust.complete) return 'it is called complete';
    if (trust.stopped && !first.startsWith('Incomplete: the recording stops at ')) {
      return `the report begins with: ${first}`;
    }
    // One that is whole saw the end.
    return trust.complete && check.code !== 3 ? 'a whole one does not see its peak' : null;
  }
}
