import { expect, it } from 'vitest';
import { programs } from './programs.ts';

const all = programs();
const files = (some: typeof all) =>
  new Set(some.map(({ name, command }) => (command.kind === 'file' ? command.path : name)));

it('there are sixty programs or more, a third of them by others', () => {
  const theirs = all.filter(
    ({ command }) =>
      command.kind === 'public' && !command.program.run.some((word) => word.startsWith('ours:')),
  );
  expect(files(all).size).toBeGreaterThanOrEqual(60);
  expect(files(theirs).size * 3).toBeGreaterThanOrEqual(files(all).size);
});

it('each has a name of its own', () => {
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
});

it('every leak of ours has a clean twin in the same file', () => {
  const clean = files(all.filter(({ truth }) => !truth.leak));
  const leaks = all.filter(({ truth, command }) => truth.leak && command.kind === 'file');
  expect([...files(leaks)].filter((path) => !clean.has(path))).toEqual([]);
});

it('about half of them are held out', () => {
  const heldOut = files(all.filter(({ set }) => set === 'held-out')).size;
  const tuning = files(all.filter(({ set }) => set === 'tuning')).size;
  expect(Math.abs(heldOut - tuning)).toBeLessThan(0.2 * (heldOut + tuning));
});

it('what is public says why its truth is one', () => {
  const theirs = all.filter(({ command }) => command.kind === 'public');
  expect(theirs.filter(({ truth }) => truth.why === '').map(({ name }) => name)).toEqual([]);
});
