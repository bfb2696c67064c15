import { existsSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sizesAccounting, sizesLine } from '../../views/sizes.ts';
import { allsizes } from './account.ts';

export interface BatchOptions {
  /** The times at which it is sized, in order (only 0). */
  readonly times?: readonly number[];
  /** Called in place of the default, which prints the sizes behind the prefix. */
  readonly analysisFn?: (prefix: string, root: unknown) => unknown;
  /** Takes the simulation to a time, where the script exports no `run`. */
  readonly run?: (time: number) => unknown;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** What a script may export; its parameters are global variables while it runs. */
interface Script {
  /** What is sized; without it, everything that the script exports. */
  readonly sim?: unknown;
  readonly run?: (time: number) => unknown;
}

let times = 0;

/**
 * One script with one set of parameters, sized at several of its times (docs/sizes.md). A failure is
 * reported and the batch goes on: true where all went well.
 */
export async function memuseBatch(script: string, options: BatchOptions = {}): Promise<boolean> {
  const { params = {}, analysisFn = printSizes } = options;
  const parameters = new Parameters(params);
  try {
    const moments = check(script, options.times ?? [0]);
    const path = pathToFileURL(resolve(script));
    // A script that ran before with other parameters runs anew.
    path.searchParams.set('batch', String(++times));
    const module = (await import(path.href)) as Script;
    parameters.warnUnused();
    for (const time of moments) {
      await advance(time, options.run ?? module.run);
      await analysisFn(prefixOf(script, params, time), module.sim ?? { ...module });
    }
    return true;
  } catch (error) {
    process.stdout.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.stderr.write('Warning -- Error detected: execution halted.\n');
    return false;
  } finally {
    parameters.remove();
  }
}

function check(script: string, moments: readonly number[]): readonly number[] {
  if (!existsSync(script)) throw new Error(`no script '${script}'`);
  moments.forEach((time, i) => {
    if (!(time >= 0)) throw new RangeError(`times must be numbers of 0 or more, got ${time}`);
    if (time < (moments[i - 1] ?? 0)) throw new RangeError('times must not go backward');
  });
  return moments;
}

/** Global variables that know whether anybody asked for them. */
class Parameters {
  readonly #before = new Map<string, PropertyDescriptor | undefined>();
  readonly #unused: Set<string>;

  constructor(params: Readonly<Record<string, unknown>>) {
    this.#unused = new Set(Object.keys(params));
    for (const [name, value] of Object.entries(params)) {
      const before = Object.getOwnPropertyDescriptor(globalThis, name);
      this.#before.set(name, before);
      if (before) process.stderr.write(`Warning -- Replaced ${name}=${String(value)}\n`);
      Object.defineProperty(globalThis, name, {
        configurable: true,
        enumerable: true,
        get: () => {
          this.#unused.delete(name);
          return value;
        },
      });
    }
  }

  warnUnused(): void {
    for (const name of [...this.#unused].sort()) {
      process.stderr.write(`Warning -- Parameter ${name} is not used by the script.\n`);
    }
  }

  remove(): void {
    for (const [name, before] of this.#before) {
      Reflect.deleteProperty(globalThis, name);
      if (before) Object.defineProperty(globalThis, name, before);
    }
  }
}

async function advance(time: number, run: ((time: number) => unknown) | undefined): Promise<void> {
  if (time === 0) return;
  if (typeof run !== 'function') {
    throw new Error(
      `time ${time} needs run(t): give it to memuseBatch, or export it from the script`,
    );
  }
  await run(time);
}

/** `tiny,cortex_density=20: t000000.00: ` */
function prefixOf(script: string, params: Readonly<Record<string, unknown>>, time: number): string {
  const word = (value: unknown) => (Array.isArray(value) ? value.join('_') : String(value));
  const words = Object.entries(params).map(([name, value]) => `${name}=${word(value)}`);
  const name = basename(script, extname(script));
  return `${[name, ...words].join(',')}: t${time.toFixed(2).padStart(9, '0')}: `;
}

function printSizes(prefix: string, root: unknown): void {
  const sizes = allsizes(root);
  const lines = sizesAccounting(sizes).map((line) => `  ${line}`);
  process.stdout.write(`${[prefix + sizesLine(sizes), ...lines].join('\n')}\n`);
}
