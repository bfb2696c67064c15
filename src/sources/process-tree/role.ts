/**
 * What a process is to its tree. Roles are numbered by the lowest free number, so that the series
 * of `worker 2` goes on when each epoch brings new workers under new pids.
 */
export interface Kin {
  readonly argv: readonly string[];
  readonly name: string;
  /** null for the root. */
  readonly parent: { readonly argv: readonly string[]; readonly role: string } | null;
}

const SHELL = /^(ba|da|z|k|fi)?sh$/;

/** The kind of role, without its number. */
export function roleKind(kin: Kin): string {
  if (!kin.parent) return 'main';
  const line = kin.argv.join(' ');
  // In the middle of an exec there is no command line for an instant: a second look will tell.
  if (line === '' && !SHELL.test(kin.name)) return 'worker';
  if (line.includes('multiprocessing.resource_tracker')) return 'resource tracker';
  if (line.includes('multiprocessing.forkserver')) return 'fork server';
  if (kin.name.startsWith('pt_data_')) return 'data loader';
  if (/--multiprocessing-fork|multiprocessing\.spawn/.test(line)) return 'worker';
  // A fork that did not exec has its parent's command line: Python's fork pools, data loaders. A
  // shell forks before each command it runs, which makes no worker of it.
  const forked = line === kin.parent.argv.join(' ');
  if (forked && !SHELL.test(kin.name)) return 'worker';
  return kin.name || 'child';
}

/** Hands out numbered roles and takes them back. */
export class RoleBook {
  readonly #taken = new Map<string, Set<number>>();

  take(kind: string): string {
    if (kind === 'main') return kind;
    const numbers = this.#taken.get(kind) ?? new Set();
    this.#taken.set(kind, numbers);
    let n = 1;
    while (numbers.has(n)) n++;
    numbers.add(n);
    return `${kind} ${n}`;
  }

  giveBack(role: string): void {
    const match = /^(.*) (\d+)$/.exec(role);
    if (match) this.#taken.get(match[1]!)?.delete(Number(match[2]));
  }
}
