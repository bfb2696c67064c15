import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { report } from '../../../src/analyses/report.ts';
import { withCauses } from '../../../src/analyses/verdict/failure/index.ts';
import { GiB } from '../../../src/base/bytes.ts';
import { openForeign } from '../../../src/open/foreign-file.ts';
import { locate } from '../../../src/open/locate.ts';
import { openWithTraces } from '../../../src/open/open.ts';
import { tempFolder } from '../../support/files.ts';
import { reportOf } from './judged.ts';

const failed = async (name: string) => {
  const report = await reportOf(join('test/fixtures/gpu-gauntlet', `${name}.hwz`));
  return report.devices.find(({ oom }) => oom)!.oom!;
};
const bytesOf = (oom: Awaited<ReturnType<typeof failed>>, part: string) =>
  oom.parts.find((one) => one.part === part)?.bytes ?? 0;
const said = (some: readonly { readonly statement: string }[]) =>
  some.map(({ statement }) => statement).join('\n');

describe('what a cause rests on', () => {
  it('scratch memory that a library keeps for each stream is its own, in any size', async () => {
    const oom = await failed('stream_workspaces');
    expect(oom.askedPart).toBe('workspace');
    expect(oom.kept).toBeNull();
    expect(bytesOf(oom, 'workspace')).toBeGreaterThan(0.95 * oom.liveBytes);
    expect(oom.fixes.map(({ id, outcome }) => [id, outcome])).toContainEqual([
      'less-scratch',
      'unknown',
    ]);
  });

  it('a request is scratch memory where the line let go of the like before it made anything else', async () => {
    const oom = await failed('spectrum');
    expect(oom.askedPart).toBe('workspace');
    expect(bytesOf(oom, 'workspace')).toBe(0);
    expect(oom.causes[0]).toMatchObject({ id: 'workspaces', bytes: oom.requestedBytes });
    expect(oom.causes[0]!.certainty).toBeLessThan(0.75);
  });

  it('the first call of all leaves it open: both are named, neither is sure', async () => {
    const path = 'test/fixtures/gpu-gauntlet/spectrum.hwz';
    const [name, bytes] = Object.entries(unzipSync(readFileSync(path))).find(([file]) =>
      file.startsWith('oom-'),
    )!;
    const file = join(tempFolder(), name);
    writeFileSync(file, bytes);
    const { recording } = await openWithTraces(locate(path));
    const lastCall = await openForeign(file, { events: { from: 92, to: 107 } });
    const { oom } = report(recording, [lastCall]).devices[0]!;
    expect(oom!.askedPart).toBe('pass');
    expect(oom!.operationBytes).toBeGreaterThan(11_264 ** 2 * 4);
    const sure = new Map(oom!.causes.map(({ id, certainty }) => [id, certainty]));
    expect(sure.get('workspaces')).toBeGreaterThan(0.3);
    for (const certainty of sure.values()) expect(certainty).toBeLessThan(0.65);
  });

  it('requests of a pass, of a list that grows and of a checkpoint are none', async () => {
    for (const name of ['ddpm_trajectory', 'pieces', 'resume', 'hidden_state', 'concurrency']) {
      expect((await failed(name)).askedPart, name).not.toBe('workspace');
    }
  });

  it('contexts of further processes of the workload are counted, and none is sure beside what it made', async () => {
    const { causes, missingBytes, fixes } = await failed('worker_contexts');
    expect(fixes.map(({ id }) => id)).toContain('fewer-processes');
    expect(causes.map(({ id }) => id).slice(0, 2)).toEqual(['context', 'activations']);
    expect(causes[0]!.bytes).toBeGreaterThan(5 * missingBytes);
    expect(causes[0]!.certainty).toBeLessThan(0.75);
    expect(said(causes[0]!.evidence)).toContain('30 further processes of the workload held 17.9');
  });

  it('a slice of a card is a limit, the surer the less of the card it is', async () => {
    const onSlice = async (cardBytes: number, name = 'logits') => {
      const told = await reportOf(join('test/fixtures/gpu-gauntlet', `${name}.hwz`));
      const { oom, ...device } = told.devices.find((one) => one.oom)!;
      const sliceBytes = 16 * GiB;
      // What the recording's limit played is the whole of what a slice has.
      const facts = {
        ...told,
        recording: { ...told.recording, labels: {} },
        inside: { ...told.inside, gpuLimits: [] },
        outOfMemory: told.outOfMemory.map(({ limit, limitOf, ...figures }) => figures),
        devices: [{ ...device, oom: { ...oom!, limited: false, deviceFreeBytes: 0 } }],
        gpus: told.gpus
          .filter(({ usedByTree }) => usedByTree)
          .map((gpu) => ({
            ...gpu,
            memoryBytes: sliceBytes,
            sliceOf: { gpu: 7, memoryBytes: cardBytes },
          })),
      };
      return withCauses(facts)[0]!.oom!;
    };
    const small = await onSlice(140 * GiB);
    expect(small.causes[0]).toMatchObject({ id: 'limit', limitOf: 'slice', bytes: 124 * GiB });
    expect(small.causes[0]!.certainty).toBeGreaterThan(0.75);
    expect(said(small.causes[0]!.evidence)).toContain(
      'a slice (MIG) of 16.0 GiB of a card that has 140 GiB',
    );
    expect(small.fixes[0]).toMatchObject({ id: 'raise-limit', outcome: 'runs' });
    expect(small.fixes[0]!.what).toContain('a larger slice');
    const sureOf = ({ causes }: typeof small) =>
      causes.find(({ limitOf }) => limitOf === 'slice')?.certainty ?? 0;
    const nearlyAll = await onSlice(18 * GiB);
    expect(nearlyAll.causes[0]!.id).toBe('logits');
    expect(sureOf(nearlyAll)).toBeLessThan(0.4);
    // What grows fills any slice.
    const grows = await onSlice(140 * GiB, 'hidden_state');
    expect(sureOf(grows)).toBeLessThan(sureOf(small));
  });

  it('a setting that gets past the request is no cure where the step needs more than there is', async () => {
    const { causes, needed } = await failed('compiled_vit');
    expect(needed!.stepBytes).toBeGreaterThan(2 * needed!.roomBytes!);
    const pieces = causes.find(({ id }) => id === 'fragmentation')!;
    expect(pieces.certainty).toBeLessThan(0.3);
    expect(said(pieces.evidence)).toContain('a replay with another setting');
    expect(said(pieces.against)).toContain('the whole step needs about 12.4 GiB');
  });
});
