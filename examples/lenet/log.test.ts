import { expect, test } from 'vitest';
import { logLine } from './log.ts';

test('a line has the form of glog, in local time', () => {
  const time = new Date(2024, 2, 7, 9, 5, 3, 4);
  const line = logLine('Iteration 10, loss = 0.5', 'lenet.ts:7', time.getTime() * 1000 + 56);
  const pid = String(process.pid).padStart(5);
  expect(line).toBe(`I0307 09:05:03.004056 ${pid} lenet.ts:7] Iteration 10, loss = 0.5`);
});

test('a line says where it comes from', () => {
  expect(logLine('here')).toMatch(/ log\.test\.ts:[1-9]\d*\] here$/);
});
