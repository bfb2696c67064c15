import { writeFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import type { Report } from '../../src/analyses/report.ts';
import { MiB } from '../../src/base/bytes.ts';
import { needs, python } from '../support/programs.ts';
import { highwater, place, recorded } from '../support/recorder.ts';
import { pythonWith, whereTorch } from '../support/torch.ts';

/** A mapped file that was read, memory of malloc's, and a thread. */
const PROGRAM = `
import mmap, sys, time
file = open(sys.argv[1], "rb")
data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
total = sum(data[i] for i in range(0, len(data), 4096))
kept = [b"x" * (1 << 20) for _ in range(120)]
time.sleep(0.5)
kept += [b"y" * (1 << 20) for _ in range(60)]
time.sleep(1)
`;

/** What hangs on an object's attribute, and what a function's variable has in small objects; it peaks again and again, as one moment may pass unread. */
const HOLDERS = `
import time
class Store:
    def __init__(self):
        self.items = [b"x" * (1 << 20) for _ in range(90)]
store = Store()
def main():
    table = {i: "row %d" % i for i in range(300_000)}
    more = []
    for _ in range(8):
        more.append(b"y" * (8 << 20))
        time.sleep(0.5)
main()
`;
const ASLEEP = HOLDERS.split('\n').findIndex((line) => line.includes('time.sleep')) + 1;

/** 16 MiB of weights, and Adam. */
const TRAINING = `
import time, torch
model = torch.nn.Sequential(*[torch.nn.Linear(1024, 1024, bias=False) for _ in range(4)])
optimizer = torch.optim.Adam(model.parameters())
for step in range(12):
    loss = model(torch.ones(64, 1024)).sum()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    time.sleep(0.2)
`;

async function holderOf(program: string, interpreter = python()) {
  const { folder } = await recorded([], [interpreter, '-c', program]);
  const told = await highwater(['report', folder, '--json']);
  const { hostPeak } = JSON.parse(String(told.stdout)) as Report;
  const [holder] = hostPeak.holders;
  expect(holder).toBeDefined();
  const { parts, atBytes, running } = holder!;
  expect(parts.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(atBytes);
  return { parts, atBytes, running, text: String((await highwater(['report', folder])).stdout) };
}

const remainder = (parts: Report['hostPeak']['holders'][number]['parts']) =>
  parts.find(({ what }) => what === 'remainder')?.bytes ?? 0;

describe('what the host held at its peak', () => {
  needs('python3')('is told by part, and adds up to the resident size', async () => {
    const file = place('weights.bin');
    writeFileSync(file, Buffer.alloc(48 * MiB, 7));
    const { folder } = await recorded([], [python(), '-c', PROGRAM, file]);
    const told = await highwater(['report', folder, '--json']);
    const { hostPeak } = JSON.parse(String(told.stdout)) as Report;
    const [holder] = hostPeak.holders;
    expect(holder).toMatchObject({ role: 'main' });
    const { atBytes, peakBytes, parts } = holder!;
    expect(parts.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(atBytes);
    expect(atBytes).toBeGreaterThan(200 * MiB);
    expect(atBytes).toBeLessThan(peakBytes + 16 * MiB);
    const mapped = parts.find(({ what }) => what === 'mapped files')!;
    expect(mapped.of[0]).toMatchObject({ name: file });
    expect(mapped.of[0]!.bytes).toBeGreaterThanOrEqual(48 * MiB);
    const anonymous = parts.filter(({ what }) => !/libraries|files|stacks|shared/.test(what));
    expect(anonymous.reduce((sum, { bytes }) => sum + bytes, 0)).toBeGreaterThan(120 * MiB);
    const text = String((await highwater(['report', folder])).stdout);
    expect(text).toMatch(/What main held at its peak \(process \d+\)/);
    expect(text).toMatch(/mapped files\n\s+48\.\d MiB .*weights\.bin/);
  });

  needs('python3')('names who holds it in a program without a framework', async () => {
    const { parts, atBytes, running, text } = await holderOf(HOLDERS);
    expect(running).toMatchObject({ function: 'main', pass: '', module: '', grad: null });
    expect(running!.place).toBe(`<string>:${ASLEEP}`);
    expect(text).toContain(`<string>:${ASLEEP} in main() ran then`);
    const named = parts.find(({ what }) => what === 'arrays and containers')!;
    expect(named.of[0]!.name).toMatch(/^list, held by items of Store/);
    expect(named.of[0]!.bytes / (90 * MiB)).toBeCloseTo(1, 1);
    const small = parts.find(({ what }) => what === 'python objects')!;
    expect(small.of[0]!.name).toMatch(/^dict, held by table in main\(\)/);
    expect(small.of[0]!.bytes).toBeGreaterThan(300_000 * 50);
    expect(remainder(parts) / atBytes).toBeLessThan(0.1);
  });

  whereTorch()('tells a training apart', async () => {
    const { parts, atBytes } = await holderOf(TRAINING, pythonWith('torch')!);
    const bytes = (name: string) => parts.find(({ what }) => what === name)?.bytes ?? 0;
    expect(bytes('parameters') / (16 * MiB)).toBeCloseTo(1, 1);
    expect(bytes('optimizer state') / (32 * MiB)).toBeCloseTo(1, 1);
    expect(bytes('libraries')).toBeGreaterThan(50 * MiB);
    expect(bytes('python objects')).toBeGreaterThan(10 * MiB);
    expect(remainder(parts) / atBytes).toBeLessThan(0.1);
  });
});
