import { describe, expect, it } from 'vitest';
import { type Looked, Turns } from '../../../src/sources/gpu/drm/turns.ts';

interface Process extends Looked {
  readonly name: string;
}

/** Processes whose looks cost so many ms each; ten looks around a second. */
function rota(costs: Readonly<Record<string, number>>, { ours = '', moving = '', waits = 0 } = {}) {
  let [ms, waited] = [0, 0];
  const looks = new Map<string, number>();
  const turns = new Turns<Process>(
    (process, time) => {
      ms += costs[process.name]!;
      waited += waits;
      looks.set(process.name, (looks.get(process.name) ?? 0) + 1);
      if (moving.includes(process.name)) process.moved = time;
    },
    { passed: () => ms + waited, processor: () => ms },
  );
  for (const name of Object.keys(costs)) {
    turns.add({ name, ours: ours.includes(name), moved: Number.NEGATIVE_INFINITY });
  }
  turns.lookAtAll(0);
  looks.clear();
  ms = 0;
  return {
    turns,
    /** Looks by name, and the ms that they took. */
    after(seconds: number) {
      for (let at = 1; at <= seconds * 10; at++) turns.lookAround(at * 1e8);
      return { looks: Object.fromEntries(looks), ms };
    },
  };
}

describe('whom to look at when', () => {
  it('is the workload each time, and everybody else once a second', () => {
    const { looks } = rota({ a: 0.1, b: 0.1, c: 0.1, d: 0.1 }, { ours: 'a' }).after(10);
    expect(looks).toEqual({ a: 100, b: 10, c: 10, d: 10 });
  });

  it('is each time who moves, where that costs little', () => {
    const { looks } = rota({ a: 0.01, b: 0.01, c: 0.01 }, { moving: 'b' }).after(10);
    expect(looks).toMatchObject({ a: 10, c: 10 });
    expect(looks.b).toBeGreaterThanOrEqual(95);
  });

  it('is others less often where they cost much, the workload as often as ever', () => {
    const names = Array.from({ length: 50 }, (_, i) => String.fromCharCode(200 + i));
    const dear = Object.fromEntries(names.map((name) => [name, 5]));
    const { looks, ms } = rota({ a: 0.1, ...dear }, { ours: 'a' }).after(100);
    expect(looks.a).toBe(1000);
    // 0.6 % of 100 s for the others, though the last look at one may cost more than is left.
    expect(ms - 100).toBeGreaterThan(500);
    expect(ms - 100).toBeLessThan(1500);
    const turns = names.map((name) => looks[name] ?? 0);
    expect(Math.min(...turns)).toBeGreaterThanOrEqual(2);
    expect(Math.max(...turns) - Math.min(...turns)).toBeLessThanOrEqual(1);
  });

  it('goes on where the machine is so busy that each look waits for a processor', () => {
    const { looks } = rota({ a: 0.1, b: 0.1, c: 0.1 }, { ours: 'a', waits: 30 }).after(100);
    expect(looks.a).toBe(1000);
    expect(looks.b).toBeGreaterThan(80);
    expect(looks.c).toBeGreaterThan(80);
  });

  it('keeps nobody from a turn by memory that moves all the time', () => {
    const { looks, ms } = rota({ a: 20, b: 20, c: 0.1, d: 0.1 }, { moving: 'ab' }).after(200);
    expect(looks.c).toBeGreaterThanOrEqual(20);
    expect(looks.d).toBeGreaterThanOrEqual(20);
    expect(Math.abs(looks.a! - looks.b!)).toBeLessThanOrEqual(3);
    expect(ms).toBeLessThan(0.03 * 200_000);
  });

  it('forgets who left', () => {
    const { turns, after } = rota({ a: 0.1, b: 0.1 }, { ours: 'a' });
    const gone: Process = { name: 'b', ours: false, moved: 0 };
    turns.add(gone);
    turns.remove(gone);
    expect(after(1).looks).toEqual({ a: 10, b: 1 });
  });
});
