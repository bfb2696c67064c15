import { describeError } from '../../base/errors.ts';
import type { Availability } from '../../model/run.ts';
import type { Machine, Tick } from '../source.ts';
import type { GpuBackend, GpuFindings, GpuNow, GpuReader, GpuSession, Located } from './backend.ts';

/** Ways to the cards of one maker, the best first. */
export type Maker = readonly GpuBackend[];

/**
 * The cards of several makers in one recording: each by the first of its ways that answers. Those of the first maker
 * keep their numbers, as programs go by them; the others' come after.
 */
export function together(makers: readonly Maker[]) {
  return {
    id: 'all',
    title: 'GPU memory (cards of several makers at once)',
    name: 'all cards',
    means: "every maker's own way",
    locate: (machine) => locate(makers, machine),
    probe: (machine) => probe(makers, machine),
    open: (_path, session) => Together.open(makers, session),
    visible: (environment) => makers[0]![0]!.visible(environment),
    heldOpen(machine, pid, cards) {
      const held = makers.map(([first]) => first!.heldOpen(machine, pid, cards));
      return held.every((indices) => indices === null) ? null : held.flatMap((some) => some ?? []);
    },
  } as const satisfies GpuBackend;
}

interface Way {
  readonly backend: GpuBackend;
  readonly path: string;
}

/** What is there of each maker, by looking at files. */
function waysTo(makers: readonly Maker[], machine: Machine): Way[][] {
  return makers.map((ways) =>
    ways.flatMap((backend) => {
      const located = backend.locate(machine);
      return 'path' in located ? [{ backend, path: located.path }] : [];
    }),
  );
}

/** One way is taken as it is: only what several makers need is together. */
function locate(makers: readonly Maker[], machine: Machine): Located {
  const found = waysTo(makers, machine).filter((ways) => ways.length > 0);
  return found.length > 1
    ? { path: found.map(([way]) => way!.path).join(', ') }
    : { reason: 'no cards of several makers' };
}

function probe(makers: readonly Maker[], machine: Machine): Availability {
  const located = locate(makers, machine);
  if ('reason' in located) return { ok: false, reason: located.reason };
  const names = waysTo(makers, machine).flatMap((ways) => ways.slice(0, 1));
  return { ok: true, detail: names.map(({ backend }) => backend.name).join(' and ') };
}

class Together implements GpuReader {
  readonly findings: GpuFindings;
  readonly now: GpuNow;
  readonly #readers: readonly GpuReader[];
  readonly sample?: (tick: Tick) => void;
  #timer: NodeJS.Timeout | undefined;

  static async open(makers: readonly Maker[], session: GpuSession): Promise<GpuReader> {
    const opened: { reader: GpuReader; name: string }[] = [];
    const reasons: string[] = [];
    for (const ways of waysTo(makers, session.machine)) {
      const firstIndex = opened.flatMap(({ reader }) => reader.findings.cards).length;
      const answer = await firstAnswer(ways, { ...session, firstIndex });
      if ('reader' in answer) opened.push(answer);
      else if (answer.reason) reasons.push(answer.reason);
    }
    if (opened.length === 0) throw new Error(reasons.join('; '));
    return new Together(opened, reasons, session);
  }

  private constructor(
    opened: readonly { reader: GpuReader; name: string }[],
    reasons: readonly string[],
    session: GpuSession,
  ) {
    this.#readers = opened.map(({ reader }) => reader);
    const findings = this.#readers.map((reader) => reader.findings);
    this.findings = {
      cards: findings.flatMap(({ cards }) => cards),
      driver: opened.map(({ reader, name }) => `${reader.findings.driver} (${name})`).join(', '),
      tellsProcesses: findings.some(({ tellsProcesses }) => tellsProcesses),
      notes: [
        ...findings.flatMap(({ notes }) => notes),
        ...reasons.map((reason) => `cards that may be there were not measured: ${reason}`),
      ],
    };
    const { length } = this.findings.cards;
    const unknown = () => new Float64Array(length).fill(Number.NaN);
    this.now = { first: unknown(), used: unknown() };
    if (this.#readers.every((reader) => reader.sample)) this.sample = (tick) => this.#sample(tick);
    else this.#keepPace(session);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    for (const reader of this.#readers) await reader.close();
  }

  /** Beside one that goes at its own pace, nobody asks the others. */
  #keepPace({ rateHz, clock }: GpuSession): void {
    const sample = () => this.#sample({ time: clock(), full: true });
    this.#timer = setInterval(sample, Math.max(1, Math.round(1000 / rateHz)));
  }

  #sample(tick: Tick): void {
    for (const reader of this.#readers) {
      reader.sample?.(tick);
      for (const { index } of reader.findings.cards) {
        this.now.first[index] = reader.now.first[index]!;
        this.now.used[index] = reader.now.used[index]!;
      }
    }
  }
}

async function firstAnswer(
  ways: readonly Way[],
  session: GpuSession,
): Promise<{ reader: GpuReader; name: string } | { reason: string }> {
  const reasons: string[] = [];
  for (const { backend, path } of ways) {
    try {
      return { reader: await backend.open(path, session), name: backend.name };
    } catch (error) {
      if (session.stopped.aborted) throw error;
      reasons.push(describeError(error));
    }
  }
  return { reason: reasons.join('; ') };
}
