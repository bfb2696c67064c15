import { describe, expect, it } from 'vitest';
import { factsOf } from '../../src/metrics/samples.ts';
import { newRun } from '../../src/model/run.ts';

const jobOf = (job: string | undefined, host: string) =>
  factsOf(
    newRun({
      id: '0123456789abcdef',
      name: 'train',
      labels: job === undefined ? {} : { job },
      host: { ...newRun({ id: 'x', name: 'x' }).host, name: host },
    }),
  ).labels.job;

describe('the label job', () => {
  it.each([
    ['127.0.0.1:29500', 'n1:29500'],
    ['localhost:29500', 'n1:29500'],
    ['[::1]:29500', 'n1:29500'],
    ['10.0.0.1:29500', '10.0.0.1:29500'],
    ['node0:29400', 'node0:29400'],
    ['4711.0', '4711.0'],
    ['127.0.0.1', '127.0.0.1'],
    [undefined, 'train'],
  ])(
    'of %s on n1 is %s: where ranks meet on one machine is another place on each',
    (job, shown) => {
      expect(jobOf(job, 'n1')).toBe(shown);
    },
  );
});
