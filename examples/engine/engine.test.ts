import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { tempFolder } from '../../test/support/files.ts';
import { torchPython, whereTorch } from '../../test/support/torch.ts';

const ENGINE = ['examples/engine', '--device', 'cpu', '--requests', '40'];

function run(...flags: string[]) {
  const truthFile = join(tempFolder(), 'truth.json');
  const args = [...ENGINE, '--truth', truthFile, ...flags];
  const { status, stdout, stderr } = spawnSync(torchPython()!, args, { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return { stdout, truth: JSON.parse(readFileSync(truthFile, 'utf8')) };
}

const sum = (values: Record<string, number>) =>
  Object.values(values).reduce((all, value) => all + value, 0);

describe('the example engine', () => {
  whereTorch()(
    'answers the same however its memory is run',
    () => {
      const { truth: plain, stdout } = run();
      const { truth: tight, stdout: lines } = run('--kv', '400KiB', '--log-requests');
      const { truth: unkept } = run('--sessions-kept', '1', '--sleep-every', '10');
      const { truth: processes, stdout: front } = run('--processes');
      const { truth: other } = run('--seed', '2');
      expect(plain.preemptions).toBe(0);
      expect(tight.preemptions).toBeGreaterThan(0);
      expect(unkept.sleeps.length).toBeGreaterThan(1);
      expect(front).toMatch(/\[engine\] front: 40 answers$/m);
      for (const { checksum } of [tight, unkept, processes]) expect(checksum).toBe(plain.checksum);
      expect(other.checksum).not.toBe(plain.checksum);
      expect(stdout).toContain(`checksum of all answers: ${plain.checksum}`);
      for (const what of [/Received request req-39: prompt/, /Finished request req-39: \d+ tokens/])
        expect(lines).toMatch(what);
    },
    600_000,
  );

  whereTorch()('plans in bytes, part by part', () => {
    const { stdout, truth } = run('--kv', '1MiB');
    const told = [...stdout.matchAll(/plan: (\w+) (\d+) bytes \(/g)].map(([, part, bytes]) => [
      part,
      Number(bytes),
    ]);
    expect(told).toEqual([...Object.entries(truth.plan), ['total', sum(truth.plan)]]);
    expect(truth.plan).toMatchObject({ kv_pool: 1 << 20, weights: truth.parts.weights });
  });

  whereTorch()('sleeps by parts, and not at all where that is planted', () => {
    const { truth: first } = run('--sleep-every', '10', '--sleep-level', '2');
    expect(first.sleeps.length).toBeGreaterThan(1);
    for (const { before, asleep } of first.sleeps) {
      expect(before).toBeGreaterThan(4 << 20);
      expect(asleep).toBe(0);
    }
    const { truth: keeps } = run('--sleep-every', '10', '--fault', 'sleep-keeps');
    for (const { before, asleep } of keeps.sleeps) expect(asleep).toBe(before);
    const leaks = ['--sleep-every', '10', '--fault', 'sleep-leaks', '--forgotten', '1MiB'];
    const { truth } = run(...leaks);
    const left = truth.sleeps.map(
      ({ parts }: { parts: Record<string, number> }) => parts.left_behind,
    );
    expect(left.length).toBeGreaterThan(1);
    expect(left).toEqual(left.map((_: number, before: number) => (before + 1) << 20));
  });

  whereTorch()('has the faults that are planted, and no others', () => {
    const { truth: sound } = run('--logprobs', '--requests', '80');
    expect(sound.sessions).toBe(4);
    expect(sound.staging_asked.at(-1)).toBeLessThan(64 << 10);
    expect(sound.parts).toMatchObject({ forgotten: 0, left_behind: 0 });
    const { truth: faulty } = run(
      ...['session-cache', 'staging-doubles', 'plan-forgets'].flatMap((name) => ['--fault', name]),
      ...['--requests', '80', '--forgotten', '2MiB', '--staging-most', '1MiB'],
    );
    expect(faulty.checksum).toBe(sound.checksum);
    expect(faulty.sessions).toBeGreaterThan(20);
    expect(faulty.parts.session_cache).toBeGreaterThan(4 * sound.parts.session_cache);
    expect(faulty.staging_asked.at(-1)).toBe(1 << 20);
    expect(faulty.parts.forgotten).toBe(2 << 20);
    expect(sum(faulty.plan) - faulty.plan.other).toBe(sum(sound.plan) - sound.plan.other);
  });

  whereTorch()('tells Prometheus, and names its processes as ps shows them', async () => {
    const args = [...ENGINE, '--requests', '100000', '--processes', '--metrics', '0'];
    const child = spawn(torchPython()!, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const address = await new Promise<string>((resolve, reject) => {
        let said = '';
        child.stdout.on('data', (text) => {
          said += text;
          const found = /metrics: (\S+)/.exec(said);
          if (found) resolve(found[1]!);
        });
        child.on('exit', () => reject(new Error(`ended: ${said}`)));
      });
      const text = await (await fetch(address)).text();
      expect(text).toMatch(
        /^vllm:kv_cache_usage_perc\{engine="0",model_name="example"\} 0\.?\d*$/m,
      );
      expect(text).toMatch(/^# TYPE vllm:num_preemptions_total counter$/m);
      const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
      const title = (pid: string | number) =>
        readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', '');
      expect(title(child.pid!)).toBe('MINI::APIServer');
      expect(children.trim().split(' ').map(title)).toContain('MINI::EngineCore');
    } finally {
      child.kill();
    }
  });

  whereTorch()('says in one line what cannot be', () => {
    const refused = (...flags: string[]) => {
      const { status, stderr } = spawnSync(torchPython()!, [...ENGINE, ...flags], {
        encoding: 'utf8',
      });
      expect(status).not.toBe(0);
      return stderr.trimEnd().split('\n').at(-1);
    };
    expect(refused('--kv', '64KiB')).toMatch(/^engine: a KV pool of 64\.00 KiB does not hold/);
    expect(refused('--prompt', '8-400')).toContain('more than --context 256');
    expect(refused('--kv', 'much')).toContain("'much' is no size, as 64MiB");
  });
});
