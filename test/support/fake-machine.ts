import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { TableSpec } from '../../src/model/schema.ts';
import { StringPool } from '../../src/model/strings.ts';
import { TableBuffer } from '../../src/model/table.ts';
import type { Machine, Sink } from '../../src/sources/source.ts';

export interface FakeProcess {
  pid: number;
  ppid?: number;
  comm?: string;
  state?: string;
  session?: number;
  startTime?: number;
  /** 17 is SIGCHLD; −1 marks a thread. */
  exitSignal?: number;
  /** Forked and not (yet) another program. */
  forked?: boolean;
  argv?: string[];
  env?: string[];
  /** Lines of status; or the pid of a real process, whose file then ends when that process does. */
  status?: string[] | number;
}

/** Status lines of an ordinary process, in kB. */
export function statusLines(rss: number, more: Record<string, number> = {}): string[] {
  const fields = { VmHWM: rss, VmRSS: rss, RssAnon: rss, RssFile: 0, RssShmem: 0, VmSwap: 0 };
  return Object.entries({ ...fields, ...more }).map(([name, kb]) => `${name}:\t${kb} kB`);
}

/** A kernel of paper: folders that look like /proc and /sys/fs/cgroup. */
export class FakeMachine implements Machine {
  readonly proc: string;
  readonly cgroup: string;

  constructor() {
    const root = mkdtempSync(join(tmpdir(), 'highwater-fake-'));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    this.proc = join(root, 'proc');
    this.cgroup = join(root, 'cgroup');
    this.write('proc/self/status', 'Name:\tself\nVmHWM:\t1 kB\nRssAnon:\t7 kB\n');
    this.newestPid(0);
  }

  /** Any file; the path starts with `proc/` or `cgroup/`. */
  write(path: string, text: string): void {
    const file = join(dirname(this.proc), path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  newestPid(pid: number): void {
    this.write('proc/loadavg', `0.00 0.00 0.00 1/99 ${pid}\n`);
  }

  add(process: FakeProcess): void {
    const { pid, ppid = 1, comm = 'python', state = 'S', session = 1 } = process;
    const folder = join(this.proc, String(pid));
    rmSync(folder, { recursive: true, force: true });
    const fields = Array.from({ length: 49 }, () => '0');
    fields[0] = String(ppid);
    fields[2] = String(session);
    fields[5] = process.forked ? '64' : '0';
    fields[18] = String(process.startTime ?? pid * 10);
    fields[34] = String(process.exitSignal ?? 17);
    this.write(`proc/${pid}/stat`, `${pid} (${comm}) ${state} ${fields.join(' ')}\n`);
    this.write(`proc/${pid}/comm`, `${comm}\n`);
    const words = (list: string[]) => list.map((word) => `${word}\0`).join('');
    this.write(`proc/${pid}/cmdline`, words(process.argv ?? [comm]));
    this.write(`proc/${pid}/environ`, words(process.env ?? []));
    const { status } = process;
    if (typeof status === 'number') {
      symlinkSync(`/proc/${status}/status`, join(folder, 'status'));
    } else {
      this.write(`proc/${pid}/status`, ['Name:\tx', ...(status ?? []), ''].join('\n'));
    }
  }

  remove(pid: number): void {
    rmSync(join(this.proc, String(pid)), { recursive: true, force: true });
  }
}

/** Keeps what samplers write, to be looked at. */
export class Shelf implements Sink {
  readonly #tables = new Map<string, TableBuffer>();
  readonly #texts: string[] = [];
  readonly #strings = new StringPool();

  table(spec: TableSpec): TableBuffer {
    const table = this.#tables.get(spec.name) ?? new TableBuffer(spec);
    this.#tables.set(spec.name, table);
    return table;
  }

  intern(text: string): number {
    const id = this.#strings.intern(text);
    this.#texts[id] = text;
    return id;
  }

  /** Rows by column name; ids of texts are shown as the texts, null is NaN. */
  rows(name: string): Record<string, number | string>[] {
    const table = this.#tables.get(name);
    if (!table) return [];
    return Array.from({ length: table.rows }, (_, row) =>
      Object.fromEntries(
        table.spec.columns.map((column, i) => {
          const value = (table.columns[i] as Float64Array)[row]!;
          return [column.name, column.unit === 'string' ? this.#texts[value]! : value];
        }),
      ),
    );
  }
}
