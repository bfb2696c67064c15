import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../src/base/errors.ts';
import { makeInput } from '../../src/formats/input.ts';
import { torchSnapshot } from '../../src/formats/torch-snapshot/index.ts';
import { torchSnapshotJson } from '../../src/formats/torch-snapshot/json.ts';
import { ACTION, EMPTY_STACK, HOST_DEVICE, NO_ID } from '../../src/model/allocations/actions.ts';
import { addressText } from '../../src/model/allocations/address-book.ts';
import { summary } from '../../src/model/allocations/curve.ts';
import { lifetimes } from '../../src/model/allocations/lifetimes.ts';
import { framesOf, poolsOf, tagText } from '../../src/model/allocations/names.ts';
import { traces } from '../../src/model/allocations/trace.ts';
import type { Recording } from '../../src/model/recording.ts';
import { openInput } from '../../src/open/open.ts';
import { type Plain, pickle, Tuple } from '../support/pickler.ts';
import { random } from '../support/random.ts';
import { allRows } from '../support/rows.ts';

async function read(bytes: Uint8Array, piece = bytes.length): Promise<Recording> {
  function* pieces() {
    for (let at = 0; at < bytes.length; at += piece) yield bytes.slice(at, at + piece);
  }
  return torchSnapshot.read!(makeInput('snap', pieces));
}

const readPlain = (value: Plain) => read(pickle(value));

const T0 = 1_790_000_000_000_123;
const HIGH = 2n ** 64n - 1024n;
const frames = [
  { name: 'inner', filename: 'a.py', line: 3 },
  { name: 'outer', filename: 'b.py', line: 70_000 },
];
const event = (action: string, addr: Plain, size: number, more: { [key: string]: Plain } = {}) => ({
  action,
  addr,
  size,
  stream: 0,
  time_us: T0 + size,
  ...more,
});
const block = (address: Plain, requested: number, state = 'active_allocated') => ({
  address,
  size: 512,
  requested_size: requested,
  state,
  frames: [],
});
const segment = (address: Plain, blocks: Plain[], device = 0) => ({
  device,
  address,
  total_size: 512 * blocks.length,
  stream: 0,
  segment_type: 'small',
  blocks,
});

/** Everything the newest versions write. */
const NEWEST: { readonly [key: string]: Plain } = {
  segments: [segment(HIGH, [block(HIGH, 100), block(HIGH + 512n, 5, 'active_awaiting_free')], 1)],
  device_traces: [
    [],
    [
      event('segment_alloc', HIGH, 1024, { frames }),
      event('alloc', HIGH, 100, { frames, user_metadata: 'layer 1', pool_id: new Tuple(0, 7) }),
      event('alloc', HIGH + 512n, 5, { frames: [], user_metadata: '' }),
      event('free_requested', HIGH + 512n, 5, { forward_frames: ['a', 'b'] }),
      { action: 'oom', size: 9000, stream: 2 ** 62, time_us: T0, device_free: 2 ** 40, frames },
      event('annotate', HIGH, 100, { user_metadata: 'kv cache' }),
      event('snapshot', 0, 0),
      event('user_defined', 0, 0),
    ],
    [],
  ],
  allocator_settings: {
    PYTORCH_CUDA_ALLOC_CONF: 'max_split_size_mb:128',
    max_split_size: -1,
    garbage_collection_threshold: 0.8,
    roundup_power2_divisions: { '1': 0, '1024': 4 },
    trace_alloc_overflowed: true,
    trace_alloc_max_entries: 8,
  },
  external_annotations: [
    { name: 'step', stage: 'END', device: 1, time_us: T0 + 9 },
    { name: 'step', stage: 'START', device: 1, time_us: T0 - 1 },
  ],
  host_segments: [segment(4096, [block(4096, 300)])],
  host_traces: [[event('alloc', 4096, 300)]],
};

describe('a snapshot with all that there is', () => {
  it('keeps addresses of 64 bits', async () => {
    const trace = traces(await readPlain(NEWEST))[0]!;
    expect(trace.device).toBe(1);
    expect(addressText(trace.addressBook, trace.addresses[2]!)).toBe('0xfffffffffffffe00');
  });

  it.each([
    [[512, 4 * 2 ** 30 - 1, 4 * 2 ** 30, 7 * 2 ** 40, 1024]],
    [[4 * 2 ** 30 - 1, 512, 1024]],
    [[2 ** 52, 3]],
    [[8, 0.5, 9]],
  ])('keeps sizes of any number of bits: %j', async (sizes) => {
    const many = Array.from({ length: 3000 }, (_, i) => 512 * (i + 1));
    const events = [...many, ...sizes, ...many].map((size, i) => event('alloc', 512 * i, size));
    const plain = pickle({ segments: [], device_traces: [[], events] });
    for (const piece of [plain.length, 1000]) {
      const [trace] = traces(await read(plain, piece));
      expect([...trace!.sizes]).toEqual([...many, ...sizes, ...many]);
    }
  });

  it('names stacks, tags and pools', async () => {
    const recording = await readPlain(NEWEST);
    const { stacks, tags, pools } = traces(recording)[0]!;
    expect(framesOf(recording, stacks[1]!)).toEqual([
      { function: 'inner', file: 'a.py', line: 3 },
      { function: 'outer', file: 'b.py', line: 70_000 },
    ]);
    expect([stacks[2], stacks[3]]).toEqual([EMPTY_STACK, NO_ID]);
    expect([tagText(recording, tags[1]!), tagText(recording, tags[5]!)]).toEqual([
      'layer 1',
      'kv cache',
    ]);
    expect([tags[2], tags[3]]).toEqual([NO_ID, NO_ID]);
    const named = poolsOf(recording);
    expect(named[pools[1]!]).toEqual({ stream: '0', pool: [0, 7] });
    expect(named[pools[4]!]).toEqual({ stream: `${2n ** 62n}`, pool: null });
  });

  it('knows every action, an oom and what was pending at the end', async () => {
    const trace = traces(await readPlain(NEWEST))[0]!;
    expect([...trace.actions].slice(4)).toEqual([
      ACTION.oom,
      ACTION.annotate,
      ACTION.snapshot,
      ACTION.other,
    ]);
    expect(trace.ooms).toEqual([{ event: 4, requested: 9000, deviceFree: 2 ** 40 }]);
    const { freeRequested, end, unmatchedAllocs, unmatchedFrees } = lifetimes(trace);
    expect([...end]).toEqual([8, 8]);
    expect([...freeRequested]).toEqual([-1, 3]);
    expect([unmatchedAllocs, unmatchedFrees]).toEqual([0, 0]);
  });

  it('has pinned memory of the host as a device of its own, nested or flat', async () => {
    for (const host_traces of [NEWEST.host_traces!, [event('alloc', 4096, 300)]]) {
      const found = traces(await readPlain({ ...NEWEST, host_traces }));
      expect(found.map((trace) => trace.device)).toEqual([1, HOST_DEVICE]);
      expect(summary(found[1]!)).toMatchObject({ peakRequested: 300, startRequested: 0 });
    }
  });

  it('says when it began, and has annotations and settings', async () => {
    const { run, ...recording } = await readPlain(NEWEST);
    expect(run.startedAt).toBe(new Date(1_790_000_000_000).toISOString());
    const marks = recording.table('marks');
    expect([...marks.f64('time')]).toEqual([122_000, 132_000]);
    expect([...marks.f64('value')]).toEqual([1, 0]);
    expect(run.allocator).toEqual({
      source: 'torch-snapshot',
      settings: {
        PYTORCH_CUDA_ALLOC_CONF: 'max_split_size_mb:128',
        max_split_size: -1,
        garbage_collection_threshold: 0.8,
        'roundup_power2_divisions.1': 0,
        'roundup_power2_divisions.1024': 4,
        trace_alloc_overflowed: true,
        trace_alloc_max_entries: 8,
      },
      overflowed: true,
      maxEntries: 8,
      range: null,
    });
  });

  it('reads the same by every protocol and manner of writing', async () => {
    const known = allRows(await readPlain(NEWEST));
    for (const protocol of [2, 3, 4, 5] as const) {
      for (const lists of ['batches', 'whole'] as const) {
        for (const memo of [true, false]) {
          const recording = await read(pickle(NEWEST, { protocol, lists, memo }));
          expect(allRows(recording), `${protocol} ${lists} ${memo}`).toEqual(known);
        }
      }
    }
  });

  it('reads on behind bytes that it passes over, wherever they are', async () => {
    const known = allRows(await readPlain(NEWEST));
    const bytes = pickle(NEWEST, { protocol: 3 });
    // SHORT_BINBYTES of three, and POP.
    const passed = [0x43, 3, 1, 2, 3, 0x30];
    const [head, end] = [[...bytes.subarray(0, 2)], bytes.length - 1];
    const body = [...bytes.subarray(2, end)];
    const twice = [...head, ...passed, ...passed, ...body, ...passed, ...passed, 0x2e];
    for (const piece of [undefined, 7, 5000])
      expect(allRows(await read(Uint8Array.from(twice), piece))).toEqual(known);
  });

  it('reads the same in pieces of any size', async () => {
    const bytes = pickle(NEWEST);
    const known = allRows(await read(bytes));
    for (const piece of [1, 2, 7, 100]) expect(allRows(await read(bytes, piece))).toEqual(known);
  });

  it('reads the same in one go and opcode by opcode where each event has other keys', async () => {
    const draw = random(7);
    const events = Array.from({ length: 3000 }, (_, i) => {
      const more: { [key: string]: Plain } = {
        frames: draw() < 0.3 ? [] : draw() < 0.5 ? frames : frames.slice(1),
        user_metadata: draw() < 0.5 ? `tag ${i % 7}` : `tag ${i}`,
        pool_id: new Tuple(0, Math.floor(3 * draw())),
        compile_context: draw() < 0.8 ? 'N/A' : 'N/B',
        device_free: i,
      };
      const whole = event('alloc', 2 ** 46 + 512 * (i % 50), 2 ** Math.floor(30 * draw()), more);
      // Long stretches of one layout between others: keys left out, and in another order.
      const entries = Object.entries(whole).filter(() => i % 400 < 300 || draw() < 0.8);
      if (i % 400 > 350) entries.splice(1, entries.length - 1, ...entries.slice(1).reverse());
      return Object.fromEntries([['action', 'alloc'], ...entries.slice(1)]) as Plain;
    });
    const bytes = pickle({ segments: [], device_traces: [events] });
    // What is read in one go needs more bytes ahead than come at a time here.
    expect(allRows(await read(bytes))).toEqual(allRows(await read(bytes, 200)));
    expect(traces(await read(bytes))[0]!.events).toBe(3000);
  });
});

describe('events that are written alike', () => {
  const names = ['alloc', 'free_requested', 'free_completed', 'segment_map', 'workspace'];

  /** As torch writes them, frames last; now and then one that differs in what most have in common. */
  function alikeEvents(count: number): Plain[] {
    const draw = random(11);
    const stacks = [frames, frames.slice(1), [], [...frames, ...frames]];
    return Array.from({ length: count }, (_, i) => {
      const action = names[Math.floor(draw() * names.length)]!;
      const addr: Plain = draw() < 0.01 ? HIGH : 2 ** 46 + 512 * Math.floor(draw() * 90);
      return {
        action,
        [draw() < 0.01 ? 'device_free' : 'addr']: addr,
        size: draw() < 0.01 ? 2 ** 33 : Math.floor(2 ** (31 * draw())),
        stream: draw() < 0.02 ? 2 ** 40 : Math.floor(i / 500),
        time_us: draw() < 0.01 ? 5 : T0 + i,
        compile_context: draw() < 0.02 ? `graph ${i}` : 'N/A',
        user_metadata: i % 700 < 300 ? '' : `tag ${Math.floor(i / 100)}`,
        ...(i % 1000 < 500 && { pool_id: new Tuple(0, Math.floor(i / 250)) }),
        // A list that several events share, and one of each event's own.
        frames: draw() < 0.5 ? stacks[i % 4]! : [...stacks[i % 3]!],
        ...(draw() < 0.01 && { later: i }),
      };
    });
  }
  const alike = (count: number, memo = true) =>
    pickle({ segments: [], device_traces: [alikeEvents(count)] }, { memo });

  it('are what they are opcode by opcode', async () => {
    for (const memo of [true, false]) {
      const bytes = alike(4000, memo);
      const whole = await read(bytes);
      expect(traces(whole)[0]!.events).toBe(4000);
      expect(new Set(traces(whole)[0]!.actions).size).toBe(names.length);
      expect(allRows(whole)).toEqual(allRows(await read(bytes, 200)));
    }
  });

  it('are what they are opcode by opcode with any byte changed, or refused both ways', async () => {
    const draw = random(5);
    const bytes = alike(100);
    const tried = async (piece?: number) => {
      try {
        return allRows(await read(bytes, piece));
      } catch (error) {
        if (!(error instanceof FormatError)) throw error;
        return 'refused';
      }
    };
    let refused = 0;
    for (let i = 0; i < 250; i++) {
      const at = Math.floor(draw() * bytes.length);
      const was = bytes[at]!;
      bytes[at] =
        draw() < 0.5 ? Math.floor(256 * draw()) : bytes[Math.floor(draw() * bytes.length)]!;
      const whole = await tried();
      if (whole === 'refused') refused++;
      expect(whole, `byte ${at} is ${bytes[at]}`).toEqual(await tried(200));
      bytes[at] = was;
    }
    expect(refused).toBeGreaterThan(40);
    expect(refused).toBeLessThan(210);
  });
});

describe('older and other layouts', () => {
  it('reads a bare list of segments', async () => {
    const [trace] = traces(await readPlain([segment(512, [block(512, 5)])]));
    expect(summary(trace!)).toMatchObject({ peakRequested: 5, peakEvent: -1, peakReserved: 512 });
  });

  it('reads blocks with a history in place of addresses and frames', async () => {
    const history = (real_size: number) => [
      { addr: 1, real_size, frames },
      { addr: 1, real_size: 1, frames: [] },
    ];
    const old = (state: string, more: { [key: string]: Plain }) => ({ size: 512, state, ...more });
    const blocks = [
      old('inactive', { history: history(3) }),
      old('active_allocated', { history: history(400), requested_size: 399 }),
      old('active_allocated', { history: history(401) }),
      old('active_allocated', {}),
    ];
    const recording = await readPlain({ segments: [segment(4096, blocks)] });
    const [trace] = traces(recording);
    expect([...trace!.blocks.requested].slice(1)).toEqual([399, 401, 512]);
    const places = [...trace!.blocks.address].map((id) => addressText(trace!.addressBook, id));
    expect(places).toEqual(['0x1000', '0x1200', '0x1400', '0x1600']);
    expect(framesOf(recording, trace!.blocks.stack[1]!)[0]!.function).toBe('inner');
  });

  it('reads events without times', async () => {
    const { time_us: _, ...timeless } = event('alloc', 512, 5);
    const recording = await readPlain({
      segments: [segment(512, [block(512, 5)])],
      device_traces: [[timeless]],
    });
    expect(traces(recording)[0]!.times[0]).toBeNaN();
    expect(recording.run.startedAt).toBe(new Date(0).toISOString());
  });

  it('reads stacks deeper than a pickler writes at once', async () => {
    const deep = Array.from({ length: 2500 }, (_, line) => ({ name: 'f', filename: 'f', line }));
    const events = [event('alloc', 512, 5, { frames: deep }), event('alloc', 512, 5, { frames })];
    const recording = await readPlain({ segments: [], device_traces: [events] });
    const found = framesOf(recording, traces(recording)[0]!.stacks[0]!);
    expect(found.map(({ line }) => line)).toEqual(deep.map(({ line }) => line));
  });
});

/** Raw opcodes: texts are themselves, numbers are bytes. */
const raw = (...parts: (string | number)[]) =>
  Uint8Array.from(
    parts.flatMap((part) => (typeof part === 'string' ? [...Buffer.from(part)] : [part])),
  );

async function refusal(bytes: Uint8Array): Promise<string> {
  const error = await read(bytes).then(
    () => null,
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(FormatError);
  const { message } = error as FormatError;
  expect(message).not.toContain('\n');
  return message;
}

describe('a hostile or broken pickle', () => {
  it.each([
    [
      'GLOBAL',
      raw(0x80, 2, 'cos\nsystem\n', '(U', 2, 'ls', 'tR.'),
      'GLOBAL os.system) (at byte 2)',
    ],
    [
      'STACK_GLOBAL',
      raw(0x80, 4, 0x8c, 2, 'os', 0x8c, 6, 'system', 0x93, '.'),
      'STACK_GLOBAL) (at',
    ],
    ['REDUCE', raw(0x80, 2, 'N)R.'), 'REDUCE) (at byte 4)'],
    ['BUILD', raw(0x80, 2, '}}b.'), 'BUILD) (at byte 4)'],
    ['INST', raw(0x80, 2, '(ios\nsystem\n.'), 'INST os.system) (at byte 3)'],
    ['OBJ', raw(0x80, 2, '(No.'), 'OBJ) (at byte 4)'],
    ['NEWOBJ', raw(0x80, 2, 'N)', 0x81, '.'), 'NEWOBJ) (at byte 4)'],
    ['NEWOBJ_EX', raw(0x80, 4, 'N)}', 0x92, '.'), 'NEWOBJ_EX) (at byte 5)'],
    ['EXT1', raw(0x80, 2, 0x82, 1, '.'), 'EXT1) (at byte 2)'],
    ['BINPERSID', raw(0x80, 2, 'NQ.'), 'BINPERSID) (at byte 3)'],
    ['NEXT_BUFFER', raw(0x80, 5, 0x97, '.'), 'NEXT_BUFFER) (at byte 2)'],
    ['a set', raw(0x80, 4, 0x8f, '.'), 'EMPTY_SET'],
    ['no opcode', raw(0x80, 2, 0xff), '0xff (at byte 2)'],
    ['protocol 6', raw(0x80, 6, 'N.'), 'protocol 6'],
    ['an unknown memo', raw(0x80, 2, 'h', 9, '.'), 'value 9, which it never stored (at byte 2)'],
    ['a far memo', raw(0x80, 2, '}r', 255, 255, 255, 255, '.'), 'number 4294967295'],
    ['a memo of nothing', raw(0x80, 4, 0x94, '.'), 'not there (at byte 2)'],
    ['APPEND to nothing', raw(0x80, 2, 'Na.'), 'not there'],
    ['APPENDS to a text', raw(0x80, 2, 'U', 1, 'x', '(Ne.'), 'no list'],
    ['SETITEMS of three', raw(0x80, 2, '}(NNNu.'), 'without its value (at byte 7)'],
    ['an end without a mark', raw(0x80, 2, '}u.'), 'never began (at byte 3)'],
    ['a tuple of nothing', raw(0x80, 2, 0x87, '.'), 'not there (at byte 2)'],
    ['a pop of nothing', raw(0x80, 2, '0.'), 'not there'],
    ['STOP at once', raw(0x80, 2, '.'), 'not there (at byte 2)'],
    [
      'a text of 2^63',
      raw(0x80, 4, 0x8d, 0, 0, 0, 0, 0, 0, 0, 0x80),
      'a text of 9223372036854776000 bytes (at byte 2)',
    ],
    ['a number of 2^31', raw(0x80, 2, 0x8b, 0, 0, 0, 0x80), 'whole number of 2147483648 bytes'],
    ['a number of 9 bytes', raw(0x80, 2, 0x8a, 9, 0, 0, 0, 0, 0, 0, 0, 0, 1, '.'), 'of 9 bytes'],
    ['bytes of 2^62', raw(0x80, 4, 0x8e, 0, 0, 0, 0, 0, 0, 0, 0x40, 'x'), 'ends in the middle'],
    ['a cut frame', raw(0x80, 4, 0x95, 1, 0), 'ends in the middle of a value (at byte 5)'],
    ['other data', pickle({ weights: [1, 2, 3] }), 'no memory snapshot'],
    ['segments that are none', pickle({ segments: [{ a: 1 }] }), 'segments are no list'],
    ['events that are none', pickle({ segments: [], device_traces: [[7]] }), 'no list of events'],
    ['one number', pickle(7), 'no memory snapshot'],
  ])('%s', async (_, bytes, message) => {
    expect(await refusal(bytes)).toContain(message);
  });

  it('cut off at any byte is refused with the place', async () => {
    for (const bytes of [
      pickle(NEWEST),
      new Uint8Array(readFileSync('test/fixtures/formats/torch-snapshot/h200-pinned.pickle')),
    ]) {
      for (let length = 0; length < bytes.length; length++) {
        const message = await refusal(bytes.subarray(0, length));
        expect(message, `cut at ${length}`).toMatch(/^snap: .*\(at byte \d+\)$/);
      }
    }
  });

  it('with keys like __proto__ changes nothing', async () => {
    const settings = JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}') as Plain;
    const entry = JSON.parse('{"__proto__": 1, "action": "toString", "size": 1}') as Plain;
    const recording = await readPlain({
      segments: [],
      device_traces: [[entry]],
      allocator_settings: settings,
    });
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(traces(recording)[0]!.actions[0]).toBe(ACTION.other);
    expect(Object.getPrototypeOf(recording.run.allocator!.settings)).toBe(Object.prototype);
  });

  it('with lists that hold each other over and over ends at once', async () => {
    let bomb: Plain = [1, 2, 3];
    for (let level = 0; level < 60; level++) bomb = [bomb, bomb];
    expect(await refusal(pickle(bomb))).toContain('no segments');
    let dict: Plain = { a: 1 };
    for (let level = 0; level < 60; level++) dict = { a: dict, b: dict };
    const recording = await readPlain({ segments: [], allocator_settings: dict });
    expect(Object.keys(recording.run.allocator!.settings).length).toBeLessThan(1000);
  });

  it('that gives one list of events to many devices is refused', async () => {
    const list = [event('alloc', 512, 5)];
    const many = pickle({ segments: [], device_traces: Array.from({ length: 500 }, () => list) });
    expect(await refusal(many)).toContain('one list of events twice');
  });

  it.each([
    ['marks', '('],
    ['lists in lists', '](('],
    ['empty lists', ']'],
    ['nothings', 'N'],
    ['numbers in a list', `](${'K\x01'.repeat(1000)}e`],
  ])('of a million %s ends soon', async (_, part) => {
    const count = Math.ceil(1e6 / part.length);
    await refusal(raw(0x80, 2, part.repeat(count)));
  });

  it('that contains itself is refused', async () => {
    await refusal(raw(0x80, 4, ']', 0x94, 'h', 0, 'a.'));
    const self = raw(0x80, 4, '}', 0x94, '(', 0x8c, 8, 'segments', 'h', 0, 'u.');
    expect(await refusal(self)).toContain('segments');
  });
});

describe('a snapshot as JSON', () => {
  it.each(['h200-pinned', 'h200-oom-rested'])(
    '%s is the same recording as the pickle',
    async (name) => {
      const read = async (path: string) => openInput(`test/fixtures/formats/${path}`);
      const [a, b] = [
        await read(`torch-snapshot/${name}.pickle`),
        await read(`torch-snapshot-json/${name}.json`),
      ];
      for (const table of a.tables) {
        for (const column of a.table(table).spec.columns) {
          expect(b.table(table).column(column), `${table}.${column.name}`).toEqual(
            a.table(table).column(column),
          );
        }
      }
      expect(b.run.allocator).toEqual(a.run.allocator);
    },
  );

  it('is refused in a line where it is cut, no snapshot, or nested without end', async () => {
    const read = (text: string) =>
      torchSnapshotJson.read!(makeInput('x.json', () => [new TextEncoder().encode(text)]));
    await expect(read('{"segments": [')).rejects.toThrow(/x\.json: its JSON cannot be read/);
    await expect(read('{"segments": 3}')).rejects.toThrow(/x\.json/);
    const deep = `{"segments": ${'['.repeat(60)}${']'.repeat(60)}}`;
    await expect(read(deep)).rejects.toThrow(/nested too deeply/);
  });
});
