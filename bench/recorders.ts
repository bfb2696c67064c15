import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunInfo } from '../src/model/run.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));

/** The command that starts Highwater's built command line. */
export const highwater = (...words: string[]) => [process.execPath, CLI, ...words];

/** The workload of processes.py as a command. */
export const processes = (count: number, seconds: number, kind: 'idle' | 'busy') => [
  'python3',
  join(HERE, 'processes.py'),
  String(count),
  String(seconds),
  kind,
];

/** `highwater record` of a command, with nothing before and after it. */
export function recordCommand(
  out: string,
  rateHz: number,
  workload: readonly string[],
  ...more: string[]
): string[] {
  const flags = ['--rate', String(rateHz), '--before', '0', '--after', '0', '--quiet', '-o', out];
  return highwater('record', ...flags, ...more, '--', ...workload);
}

export function samplingOf(recording: string): RunInfo['sampling'] {
  return (JSON.parse(readFileSync(join(recording, 'run.json'), 'utf8')) as RunInfo).sampling;
}

/** [seconds since the start, CPU seconds of the process until then], the last at its exit. */
export type CpuReadings = readonly (readonly [number, number])[];

/** Runs a recorder under cpu_watch.py; its own CPU time, without its workload's. */
export async function watchCpu(command: readonly string[], out: string): Promise<CpuReadings> {
  const code = await runCommand(['python3', join(HERE, 'cpu_watch.py'), out, ...command]);
  if (code !== 0) throw new Error(`cpu_watch.py ended with ${code}`);
  const { exit, readings } = JSON.parse(readFileSync(out, 'utf8')) as {
    exit: number;
    readings: CpuReadings;
  };
  if (exit !== 0) throw new Error(`${command.join(' ')} ended with ${exit}`);
  return readings;
}

/** Share of a core over the whole run, start and end included. */
export function wholeShare(readings: CpuReadings): number {
  const [seconds, cpu] = readings.at(-1)!;
  return cpu / seconds;
}

/** Share of a core from a moment on until a second before the end. */
export function steadyShare(readings: CpuReadings, fromSeconds: number): number {
  const end = readings.at(-1)![0] - 1;
  const steady = readings.filter(([seconds]) => seconds >= fromSeconds && seconds <= end);
  if (steady.length < 2) return Number.NaN;
  const [first, last] = [steady[0]!, steady.at(-1)!];
  return (last[1] - first[1]) / (last[0] - first[0]);
}

/** Runs a command with its output discarded, its complaints shown only if it fails; the exit code. */
export function runCommand(command: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    // A pipe, wherever the benchmark's own output goes: the recorder would watch a file.
    const child = spawn(command[0]!, command.slice(1), { stdio: ['ignore', 'ignore', 'pipe'] });
    const complaints: Buffer[] = [];
    child.stderr.on('data', (chunk: Buffer) => complaints.push(chunk));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      const exit = signal ? 128 : (code ?? 1);
      if (exit !== 0) process.stderr.write(Buffer.concat(complaints));
      resolve(exit);
    });
  });
}
