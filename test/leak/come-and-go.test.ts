import { describe, expect, it } from 'vitest';
import { leak } from '../../src/analyses/leak/index.ts';
import { MiB } from '../../src/base/bytes.ts';
import { SECOND_NS } from '../../src/base/time.ts';
import { RecordingBuilder } from '../../src/model/builder.ts';
import type { Recording } from '../../src/model/recording.ts';
import { TIME_FROM } from '../../src/model/schema.ts';
import { Random } from '../support/random.ts';
import { addRow } from '../support/rows.ts';

const SECONDS = 60;
const EACH = 0.1;

interface Life {
  readonly role: string;
  readonly from: number;
  readonly to: number;
  /** MiB at a second of the run, and of its own age. */
  readonly held: (second: number, age: number) => number;
  /** Its share of what several have; all of it, unless told. */
  readonly pss?: (second: number) => number;
  /** What malloc keeps free of it, five times a second; nothing is told of it unless it is here. */
  readonly free?: (second: number) => number;
}

/** A minute of several processes, sampled ten times a second. */
function recordingOf(lives: readonly Life[]): Recording {
  const builder = new RecordingBuilder({ id: 'w', name: 'w', argv: ['serve'], subject: 'command' });
  const mark = { time_from: TIME_FROM.agent };
  addRow(builder, 'marks', { ...mark, time: 0, kind: 'start' });
  for (const [i, { role, from }] of lives.entries()) {
    const born = { start_time: i, first_seen: from * SECOND_NS, name: 'serve', argv: 'serve' };
    addRow(builder, 'processes', { ...born, pid: 10 + i, role });
  }
  for (let second = 0; second < SECONDS; second += EACH) {
    for (const [i, { from, to, held, pss, free }] of lives.entries()) {
      if (second < from || second >= to) continue;
      const bytes = held(second, second - from) * MiB;
      const share = pss ? pss(second) * MiB : bytes;
      const sizes = { rss: bytes, anon: bytes, file: 0, shmem: 0, swap: 0, pss: share };
      const of = { time: second * SECOND_NS, pid: 10 + i };
      addRow(builder, 'process', { ...of, ...sizes });
      if (free && Math.round(second / EACH) % 2 === 0) {
        addRow(builder, 'counters', { ...of, name: 'malloc.free', value: free(second) * MiB });
      }
    }
  }
  addRow(builder, 'marks', { ...mark, time: SECONDS * SECOND_NS, kind: 'end' });
  return builder.build();
}

const main = (held: Life['held'] = () => 40): Life => ({
  role: 'main',
  from: 0,
  to: SECONDS,
  held,
});

/** One after another, each of a size of its own, as after a second of loading. */
function workers(more: (age: number, index: number) => number = () => 0): Life[] {
  const random = new Random(9);
  const made: Life[] = [];
  for (let from = 0; from < SECONDS; ) {
    const [index, size] = [made.length, 30 + 6 * random.uniform()];
    const to = from + 4 + 3 * random.uniform();
    const held = (_: number, age: number) => Math.min(1, age) * size + more(age, index);
    made.push({ role: 'worker 1', from, to, held });
    from = to + EACH;
  }
  return made;
}

const verdict = (lives: readonly Life[]) => leak(recordingOf(lives)).verdict;

describe('processes that come and go', () => {
  it('are no leak where those that stay do not grow', () => {
    expect(leak(recordingOf([main(), ...workers()]))).toMatchObject({
      verdict: 'bounded',
      trend: { rule: 'those that stay' },
    });
  });

  it('hide no leak of one that stays', () => {
    const grows = main((second) => 40 + second * 0.02);
    expect(['leak', 'inconclusive']).toContain(verdict([grows, ...workers()]));
  });

  it('are not cleared where each of them grows to its end', () => {
    expect(verdict([main(), ...workers((age) => age * 1.5)])).toBe('inconclusive');
  });

  it('are not cleared where each is larger than the one before', () => {
    const lives = [main(), ...workers((_, index) => index * 2)];
    expect(['leak', 'inconclusive']).toContain(verdict(lives));
  });

  it('do not speak for one of another kind that is there at the end', () => {
    const last = { role: 'server 1', from: 40, to: SECONDS, held: (_: number, age: number) => age };
    expect(['leak', 'inconclusive']).toContain(verdict([main(), ...workers(), last]));
  });

  it('nor for one that lives longer than any before it', () => {
    const first = workers().filter(({ to }) => to < 45);
    const from = first.at(-1)!.to + EACH;
    const held = (_: number, age: number) => 30 + age;
    const lives = [main(), ...first, { role: 'worker 1', from, to: SECONDS, held }];
    expect(['leak', 'inconclusive']).toContain(verdict(lives));
  });

  it('are not cleared where more and more of them are there at once', () => {
    const many = [8, 16, 22, 28, 34, 38, 42, 46, 50, 54].map((from) => {
      return { role: 'worker 1', from, to: SECONDS, held: () => 8 };
    });
    expect(['leak', 'inconclusive']).toContain(verdict([main(), ...workers(), ...many]));
  });

  it('are not cleared where small ones pile up', () => {
    const small = Array.from({ length: 12 }, (_, i) => {
      return { role: `tool ${i}`, from: 4 + 4.5 * i, to: SECONDS, held: () => 0.1 };
    });
    expect(['leak', 'inconclusive']).toContain(verdict([main(), ...workers(), ...small]));
  });

  it('do not hide that those which stay copy what they share', () => {
    const shares = (grows: number) => (second: number) => 20 + grows * second + (second % 3);
    const two = (grows: number) =>
      [main(), main()].map((one) => ({ ...one, pss: shares(grows) }) satisfies Life);
    const [first, second] = two(0.04);
    const lives = [first!, { ...second!, role: 'helper 1' }, ...workers()];
    expect(['leak', 'inconclusive']).toContain(verdict(lives));
  });

  it('leave nobody to judge where none stays', () => {
    expect(verdict(workers())).toBe('inconclusive');
  });
});

describe('several processes that stay and share pages', () => {
  /** What malloc keeps free in the first, now more and now less. */
  const random = new Random(5);
  const levels = Array.from({ length: SECONDS }, () => 12 * random.uniform());
  const free = (second: number) => levels[Math.floor(second)]!;
  /** They share 30 MiB, of which each copies so much a second. */
  const sharing = (copied: (second: number) => number): Life[] => [
    {
      ...main((second) => 60 + free(second)),
      free,
      pss: (second) => 45 + free(second) + copied(second) / 2,
    },
    { ...main(() => 60), role: 'loader 1', pss: (second) => 45 + copied(second) / 2 },
  ];

  it('are cleared where neither grows, nor what they have together but for what malloc keeps free', () => {
    expect(leak(recordingOf(sharing(() => 0)))).toMatchObject({
      verdict: 'bounded',
      trend: { rule: 'in use' },
    });
  });

  it('are not cleared where they copy what they share, though neither grows', () => {
    const lives = sharing((second) => second * 0.15);
    expect(['leak', 'inconclusive']).toContain(verdict(lives));
  });
});
