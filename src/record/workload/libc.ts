import { createRequire } from 'node:module';

/**
 * The few calls of the C library that Node does not offer. Linux only; the constants are the same
 * on x86-64 and arm64, but for the number of a system call.
 */
const O_RDWR = 0o2;
const O_NOCTTY = 0o400;
const O_CLOEXEC = 0o2000000;
const F_SETPIPE_SZ = 1031;
/** Four times the usual: the workload and we need not take turns for every 64 KiB. */
const PIPE_BYTES = 1 << 18;
const POLLOUT = 0x4;
const TIOCSWINSZ = 0x5414;
const ONLCR = 0o4;
const SCHED_SETATTR: Record<string, number> = { x64: 314, arm64: 274 };

export interface Libc {
  /** [read end, write end] of a pipe; Node's own "pipes" are sockets, which /dev/stdout cannot open. */
  pipe(): [number, number];
  /** A new pseudo-terminal: its master descriptor and the path of its other side. */
  openTerminal(): { master: number; path: string };
  setWindowSize(fd: number, rows: number, columns: number): void;
  /**
   * Gives one terminal the settings (echo, control keys …) of another, but for the return before each
   * new line: what comes out of it goes into the other, which adds that by itself.
   */
  copySettings(from: number, to: number): void;
  /** So many bytes of a descriptor that does not wait; 0 at its end, below that when it has none or has failed. */
  read(fd: number, into: Uint8Array): number;
  /** How many bytes were taken by a descriptor that does not wait; below 0 when none were. */
  write(fd: number, bytes: Uint8Array): number;
  /** Waits until a descriptor takes bytes again; false when it does not in time, or never will. */
  waitForRoom(fd: number, ms: number): boolean;
  /** How long a thread may run before others get their turn; kernels before 6.12 pay no heed. */
  setSlice(thread: number, nice: number, ns: number): void;
}

let loaded: Libc | null | undefined;

/** null where the native bridge is missing: then output goes through Node's own pipes. */
export function loadLibc(): Libc | null {
  if (loaded === undefined) loaded = load();
  return loaded;
}

function load(): Libc | null {
  try {
    const koffi = createRequire(import.meta.url)('koffi') as typeof import('koffi');
    const libc = koffi.load(null);
    const pipe2 = libc.func('int pipe2(_Out_ int *fds, int flags)');
    const fcntl = libc.func('int fcntl(int fd, int command, int argument)');
    const read = libc.func('long read(int fd, void *bytes, size_t count)');
    const write = libc.func('long write(int fd, void *bytes, size_t count)');
    const poll = libc.func('int poll(void *fds, unsigned long count, int ms)');
    const openpt = libc.func('int posix_openpt(int flags)');
    const grantpt = libc.func('int grantpt(int fd)');
    const unlockpt = libc.func('int unlockpt(int fd)');
    const ptsname = libc.func('int ptsname_r(int fd, _Out_ uint8_t *name, size_t size)');
    const ioctl = libc.func('int ioctl(int fd, unsigned long request, void *argument)');
    const tcgetattr = libc.func('int tcgetattr(int fd, void *settings)');
    const tcsetattr = libc.func('int tcsetattr(int fd, int when, void *settings)');
    const schedule = libc.func(
      'long syscall(long number, int thread, void *attributes, uint flags)',
    );
    const check = (result: number, what: string): number => {
      if (result < 0) throw new Error(`${what} failed`);
      return result;
    };
    return {
      pipe() {
        const ends = [0, 0];
        check(pipe2(ends, O_CLOEXEC), 'pipe2');
        // Refused to users who have many large pipes already: then it stays as it is.
        fcntl(ends[0]!, F_SETPIPE_SZ, PIPE_BYTES);
        return [ends[0]!, ends[1]!];
      },
      read: (fd, into) => read(fd, into, into.length),
      write: (fd, bytes) => write(fd, bytes, bytes.length),
      waitForRoom(fd, ms) {
        // struct pollfd: descriptor, events asked for, events seen
        const asked = new DataView(new ArrayBuffer(8));
        asked.setInt32(0, fd, true);
        asked.setInt16(4, POLLOUT, true);
        poll(new Uint8Array(asked.buffer), 1, ms);
        return asked.getInt16(6, true) === POLLOUT;
      },
      openTerminal() {
        const master = check(openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), 'posix_openpt');
        check(grantpt(master), 'grantpt');
        check(unlockpt(master), 'unlockpt');
        const name = Buffer.alloc(128);
        if (ptsname(master, name, name.length) !== 0) throw new Error('ptsname_r failed');
        return { master, path: name.toString('utf8', 0, name.indexOf(0)) };
      },
      setWindowSize(fd, rows, columns) {
        ioctl(fd, TIOCSWINSZ, Uint16Array.of(rows, columns, 0, 0));
      },
      copySettings(from, to) {
        const settings = new Uint8Array(256);
        if (tcgetattr(from, settings) !== 0) return;
        const output = new Uint32Array(settings.buffer, 0, 2);
        output[1]! &= ~ONLCR;
        tcsetattr(to, 0, settings);
      },
      setSlice(thread, nice, ns) {
        const number = SCHED_SETATTR[process.arch];
        if (number === undefined) return;
        // struct sched_attr: size, policy (0: the usual one), flags, nice, priority, runtime …
        const attributes = new DataView(new ArrayBuffer(48));
        attributes.setUint32(0, attributes.byteLength, true);
        attributes.setInt32(16, nice, true);
        attributes.setBigUint64(24, BigInt(ns), true);
        schedule(number, thread, new Uint8Array(attributes.buffer), 0);
      },
    };
  } catch {
    return null;
  }
}
