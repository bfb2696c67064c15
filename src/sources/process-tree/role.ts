/**
 * What a process is to its tree. Roles are numbered by the lowest free number, so that the series
 * of `worker 2` goes on when each epoch brings new workers under new pids.
 */
export interface ProcessTraits {
  readonly argv: readonly string[];
  readonly name: string;
  /** Whether it became another program since it was forked. */
  readonly execed: boolean;
  /** null for the root. */
  readonly parent: { readonly argv: readonly string[] } | null;
}

const SHELL = /^(ba|da|z|k|fi)?sh$/;

/** The kind of role, without its number. */
export function roleKind(traits: ProcessTraits): string {
  if (!traits.parent) return 'main';
  const line = traits.argv.join(' ');
  if (line.includes('multiprocessing.resource_tracker')) return 'resource tracker';
  if (line.includes('multiprocessing.forkserver')) return 'fork server';
  if (traits.name.startsWith('pt_data_')) return 'data loader';
  if (/--multiprocessing-fork|multiprocessing\.spawn/.test(line)) return 'worker';
  // A fork that did not exec has its parent's command line: Python's fork pools, data loaders. A
  // shell forks before each command it runs, which makes no worker of it.
  const forked = line === '' ? !traits.execed : line === traits.parent.argv.join(' ');
  if (forked && !SHELL.test(traits.name)) return 'worker';
  return traits.name || 'child';
}

/** The kind of a role that was handed out. */
export const kindOf = (role: string) => role.replace(/ \d+$/, '');

interface RoleNumber {
  taken: boolean;
  /** When its last owner ended. */
  freeSince: number;
}

/**
 * Hands out numbered roles and takes them back. A role counts from the birth of its owner, though it
 * may be handed out later: so a number is free only for those born after its last owner's end.
 */
export class RoleNumbers {
  readonly #numbers = new Map<string, RoleNumber>();

  take(kind: string, born: number): string {
    if (kind === 'main') return kind;
    for (let n = 1; ; n++) {
      const role = `${kind} ${n}`;
      const number = this.#numbers.get(role);
      if (number && (number.taken || number.freeSince > born)) continue;
      const freeSince = number?.freeSince ?? Number.NEGATIVE_INFINITY;
      this.#numbers.set(role, { taken: true, freeSince });
      return role;
    }
  }

  /** Its owner ended. */
  release(role: string, time: number): void {
    const number = this.#numbers.get(role);
    if (number) this.#numbers.set(role, { taken: false, freeSince: time });
  }

  /** Its owner turned out to be something else. */
  undo(role: string): void {
    const number = this.#numbers.get(role);
    if (number) number.taken = false;
  }
}
