import { describe, expect, it } from 'vitest';
import { type OutOfMemory, outOfMemory } from '../../src/analyses/out-of-memory.ts';
import { outOfMemoryVerdict } from '../../src/analyses/verdict/out-of-memory.ts';
import { GiB, KiB, MiB } from '../../src/base/bytes.ts';
import { CrashReader } from '../../src/formats/log-lines/index.ts';
import { crashPassages } from '../../src/views/out-of-memory/passages.ts';

const read = (lines: readonly string[]) => {
  const reader = new CrashReader();
  for (const line of lines) reader.push(line);
  return outOfMemory(reader.end('text'));
};

const shown = (result: OutOfMemory) =>
  JSON.stringify(crashPassages(result, outOfMemoryVerdict(result)));

/** As jaxlib 0.4 prints it on a GPU. */
const ON_GPU = [
  'E0620 03:12:33.120010 2211 pjrt_stream_executor_client.cc:2153] Execution of replica 0 failed: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 29995136128 bytes.',
  'BufferAssignment OOM Debugging.',
  'BufferAssignment stats:',
  '             parameter allocation:  475.37MiB',
  '              constant allocation:   512.0KiB',
  '        maybe_live_out allocation:  474.37MiB',
  '     preallocated temp allocation:   27.93GiB',
  '                 total allocation:   28.40GiB',
  '              total fragmentation:   615.5KiB (0.00%)',
  'Peak buffers:',
  '\tBuffer 1:',
  '\t\tSize: 1.96GiB',
  '\t\tOperator: op_name="pjit(train_step)/jit(main)/mul" source_file="/data/run/losses.py" source_line=139',
  '\t\tXLA Label: fusion',
  '\t\tShape: f32[128,114,32128]',
  '\t\t==========================',
  '',
  '\tBuffer 2:',
  '\t\tSize: 384.0KiB',
  '\t\tEntry Parameter Subshape: f32[256,128,3]',
  '\t\t==========================',
];

const ON_TPU = [
  'jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Ran out of memory in memory space hbm. Used 9.08G of 7.48G hbm. Exceeded hbm capacity by 1.60G.',
  '',
  'Total hbm usage >= 9.60G:',
  '    reserved        530.00M',
  '    program           9.08G',
  '    arguments       200.00M',
  'Output size 0B; shares 0B with arguments.',
  'Program hbm requirement 9.08G:',
  '    HLO temp          9.07G (95.4% utilization: Unpadded (8.65G) Padded (9.06G), 0.0% fragmentation (0B))',
  '  Largest program allocations in hbm:',
  '  1. Size: 124.00M',
  '     Shape: f32[512,245,256]{2,1,0:T(8,128)}',
  '     Unpadded size: 122.50M',
  '     Allocation type: HLO temp',
  '     ==========================',
  '  2. Size: 62.00M',
  '     Shape: bf16[512,245,256]{2,1,0:T(8,128)}',
];

describe('the program that XLA could not run', () => {
  it('has its parts and largest buffers, with the line that makes them', () => {
    expect(read(ON_GPU).program).toEqual({
      parameters: Math.round(475.37 * MiB),
      constants: 512 * KiB,
      outputs: Math.round(474.37 * MiB),
      temporaries: Math.round(27.93 * GiB),
      total: Math.round(28.4 * GiB),
      fragmentation: 615.5 * KiB,
      buffers: [
        {
          bytes: Math.round(1.96 * GiB),
          operation: 'pjit(train_step)/jit(main)/mul',
          file: '/data/run/losses.py',
          line: 139,
          shape: 'f32[128,114,32128]',
        },
        { bytes: 384 * KiB, shape: 'f32[256,128,3]', what: 'parameter' },
      ],
    });
  });

  it('is read off a TPU’s table too', () => {
    const { program } = read(ON_TPU);
    expect(program).toMatchObject({
      parameters: 200 * MiB,
      outputs: 0,
      temporaries: Math.round(9.07 * GiB),
      total: Math.round(9.08 * GiB),
    });
    expect(program!.buffers).toEqual([
      { bytes: 124 * MiB, shape: 'f32[512,245,256]', what: 'HLO temp' },
      { bytes: 62 * MiB, shape: 'bf16[512,245,256]' },
    ]);
  });

  it('belongs to the failure that it follows, told once or at every rank', () => {
    const { program, events } = read([...ON_TPU, 'something else', ...ON_GPU, ...ON_GPU]);
    expect(events.map((event) => [event.times, event.program?.total])).toEqual([
      [1, Math.round(9.08 * GiB)],
      [2, Math.round(28.4 * GiB)],
    ]);
    expect(program!.total).toBe(Math.round(9.08 * GiB));
  });

  it('is not taken for output of a program that went on', () => {
    const listed = Array.from({ length: 15 }, () => ON_GPU.slice(10, 16)).flat();
    expect(read([...ON_GPU, ...listed]).linesAfter).toBe(0);
    expect(read([...ON_GPU, ...Array.from({ length: 30 }, () => 'step')]).linesAfter).toBe(30);
  });

  it('is bounded, and harmless where it is damaged or hostile', () => {
    const many = Array.from({ length: 5000 }, (_, i) => [
      `\tBuffer ${i % 1000}:`,
      '\t\tSize: 1.0KiB',
    ]);
    expect(read([...ON_GPU, ...many.flat()]).program!.buffers.length).toBeLessThanOrEqual(32);
    const odd = [
      '\tBuffer 3:',
      '\t\tSize: lots',
      '\t\tOperator: op_name="\x1b[31m"',
      '\t\tShape: ',
    ];
    const result = read([...ON_GPU, ...odd]);
    expect(result.program!.buffers).toHaveLength(2);
    expect(shown(result)).not.toContain('\\u001b');
    expect(read(ON_GPU.slice(1)).events).toEqual([]);
  });

  it('is shown', () => {
    const text = shown(read(ON_GPU));
    for (const part of ['27.9 GiB', 'f32[128,114,32128]', 'losses.py:139', 'parameter'])
      expect(text).toContain(part);
  });
});
