import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect } from 'vitest';
import { python } from '../support/programs.ts';
import { CLI, cleanEnv, highwater, place, readRun } from '../support/recorder.ts';
import { fleetPython } from './servers/python.ts';
import { whereFleet } from './servers/server.ts';

interface Container {
  readonly command: readonly string[];
  readonly env?: readonly { name: string; value?: string; valueFrom?: unknown }[];
}
interface Job {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly initContainers?: readonly Container[];
        readonly containers: readonly [Container];
      };
    };
  };
}

/** Checks a manifest against Kubernetes' own schema, unknown fields refused, and hands it over. */
function manifest(name: string): Job {
  const program = `
import sys, json, yaml, kubernetes_validate
job = yaml.safe_load(open(sys.argv[1]))
kubernetes_validate.validate(job, "1.36", strict=True)
print(json.dumps(job))`;
  const file = resolve('assets/kubernetes', name);
  return JSON.parse(
    execFileSync(fleetPython(), ['-c', program, file], { encoding: 'utf8' }),
  ) as Job;
}

const FAKE = resolve('test/fixtures/agent/torch');
const TRAIN = `
import torch
from torch.optim.optimizer import Optimizer
optimizer = Optimizer()
for _ in range(3):
    torch.autograd.backward(())
    optimizer.step()
`;

/** What the kubelet does with a container here: variables in words, paths of volumes, a working directory. */
function asPod(root: string, { env = [], command }: Container, known: Record<string, string>) {
  const onDisk = (text: string) => text.replace(/^\/(highwater|results)\b/, `${root}/$1`);
  const vars: Record<string, string> = { ...known };
  const filled = (text: string) =>
    text.replace(/\$\((\w+)\)/g, (whole, name: string) => vars[name] ?? whole);
  for (const { name, value } of env) {
    if (value !== undefined) vars[name] = onDisk(filled(value));
    else expect(vars).toHaveProperty(name); // the downward API's
  }
  const words = command.map((word) =>
    onDisk(filled(word)).replaceAll(' /highwater/', ` ${root}/highwater/`),
  );
  return { words, vars };
}

function pod() {
  const root = place('pod');
  for (const name of ['highwater', 'results']) mkdirSync(join(root, name), { recursive: true });
  writeFileSync(join(root, 'train.py'), TRAIN);
  return root;
}

describe('the manifests for Kubernetes', () => {
  whereFleet('python')(
    'an init container lets the agent into an image that knows nothing of it',
    async () => {
      const { initContainers, containers } = manifest('job.yaml').spec.template.spec;
      const root = pod();
      const [first] = initContainers!;
      const copied = asPod(root, first!, {});
      execFileSync(copied.words[0]!, copied.words.slice(1), {
        env: cleanEnv({ PYTHONPATH: resolve('python') }),
      });
      const known = { HIGHWATER_JOB: 'train', JOB_COMPLETION_INDEX: '0' };
      const { words, vars } = asPod(root, containers[0], known);
      const env = cleanEnv({ ...vars, PYTHONPATH: `${vars.PYTHONPATH}:${FAKE}` });
      const ran = spawnSync(words[0]!, words.slice(1), { cwd: root, env, encoding: 'utf8' });
      expect([ran.status, ran.stderr]).toEqual([0, '']);
      expect(readdirSync(join(root, 'results/train'))).toHaveLength(1);
      const { code, stdout } = await highwater(['report', join(root, 'results/train'), '--json']);
      expect(code).toBe(0);
      expect(String(stdout)).toContain('train.py');
    },
  );

  whereFleet('python')('a launcher that wraps the command records it', () => {
    const { containers } = manifest('job-wrapped.yaml').spec.template.spec;
    const root = pod();
    const known = { HIGHWATER_JOB: 'train', POD_NAME: 'train-0-x7k2p' };
    const { words, vars } = asPod(root, containers[0], known);
    expect(words[0]).toBe('highwater');
    const program = words.map((word) => (word === 'python3' ? python() : word)).slice(1);
    const ran = spawnSync(process.execPath, [CLI, ...program], {
      cwd: root,
      env: cleanEnv({ ...vars, PYTHONPATH: FAKE }),
      encoding: 'utf8',
    });
    expect([ran.status, ran.stderr]).toEqual([0, '']);
    const run = readRun(join(root, 'results/train-train-0-x7k2p.hw'));
    expect(run.argv.join(' ')).toContain('train.py');
  });
});
