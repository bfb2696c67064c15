import { formatBytes, MiB } from '../base/bytes.ts';
import { isObject } from '../base/checks.ts';
import { FormatError } from '../base/errors.ts';
import { NO_ID } from '../model/allocations/actions.ts';
import { type Frame, lineName } from '../model/allocations/names.ts';
import type { Recording } from '../model/recording.ts';
import type { Format } from './format.ts';
import { HeapProfileWriter } from './heap-profile/writer.ts';
import { headText, type Input } from './input.ts';

/**
 * What XProf's memory viewer is told of a program that XLA compiled: its buffers at the moment at which they take most, as
 * the compiler planned them, with the operation and the line of source that each comes from.
 */
export const xlaMemoryViewer: Format = {
  id: 'xla-memory-viewer',
  title: "XProf's memory viewer: the buffers of a program that XLA compiled",
  extensions: [],
  sniff: (head) => /^\s*\{\s*"heapSizes"\s*:\s*\[/.test(headText(head)),
  read: readViewer,
};

function readViewer(input: Input): Recording {
  const { name } = input;
  const viewer = parse(input);
  const buffers = viewer.maxHeap;
  if (!Array.isArray(buffers)) {
    throw new FormatError(`${name} has no list of buffers (maxHeap)`, {
      hint: "is it the answer of XProf's tool memory_viewer?",
    });
  }
  const writer = new HeapProfileWriter(name, 'xla-memory-viewer');
  const lasting = lastingPlaces(viewer.indefiniteLifetimes);
  let listed = 0;
  for (const [i, buffer] of buffers.entries()) {
    const bytes = isObject(buffer) ? bytesOf(buffer.logicalBufferSizeMib ?? 0) : null;
    if (!isObject(buffer) || bytes === null)
      throw new FormatError(`${name}: buffer ${i + 1} has no size`);
    listed += bytes;
    const stack = writer.stack([nameOf(buffer), ...placesOf(buffer.sourceInfo)]);
    // What the program does not free itself is there after it: parameters, and outputs in their places.
    const place = lasting.get(String(buffer.logicalBufferId));
    const leftBytes = Math.min(bytes, place?.bytes ?? 0);
    if (place) place.bytes -= leftBytes;
    writer.add(stack, { kind: text(buffer.groupName), bytes, objects: 1, leftBytes });
  }
  return writer.build(warnings(viewer, listed));
}

/** Allocations that no operation of the program frees, by the numbers of the buffers that lie in them in turn. */
function lastingPlaces(allocations: unknown): ReadonlyMap<string, { bytes: number }> {
  const list = Array.isArray(allocations) ? allocations.filter(isObject) : [];
  return new Map(
    list.flatMap(({ sizeMib, logicalBuffers }) => {
      const place = { bytes: bytesOf(sizeMib) ?? 0 };
      const buffers = Array.isArray(logicalBuffers) ? logicalBuffers.filter(isObject) : [];
      return buffers.map(({ id }) => [String(id), place] as const);
    }),
  );
}

function parse(input: Input): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(input.text());
  } catch (error) {
    throw new FormatError(`${input.name} is no JSON: ${(error as Error).message}`);
  }
  if (isObject(parsed)) return parsed;
  throw new FormatError(`${input.name} is no object`);
}

/** Bytes of a number of MiB; what is left out is zero. Null: no size. */
function bytesOf(mib: unknown): number | null {
  const bytes = typeof mib === 'number' ? Math.round(mib * MiB) : Number.NaN;
  return Number.isSafeInteger(bytes) && bytes >= 0 ? bytes : null;
}

const text = (value: unknown) => (typeof value === 'string' ? value : '');

/** The operation in the program's words, else the compiler's; many small buffers are one with a label only. */
function nameOf(buffer: Readonly<Record<string, unknown>>): Frame {
  const name = text(buffer.tfOpName) || text(buffer.instructionName) || text(buffer.label);
  // Without the order in memory: f32[1024,256]{1,0}
  const shape = text(buffer.shapeString).replace(/\{[^{}]*\}$/, '');
  return { function: [name || '[no name]', shape].filter(Boolean).join(' '), file: '', line: 0 };
}

/** `train.py:3:23` a line, the innermost first. */
function placesOf(source: unknown): Frame[] {
  if (!isObject(source)) return [];
  const lines = text(source.stackFrame).split('\n').filter(Boolean);
  if (lines.length === 0 && text(source.fileName) !== '') {
    lines.push(`${text(source.fileName)}:${Number(source.lineNumber) || 0}`);
  }
  return lines.flatMap((line) => {
    const [, file, at] = /^(.+?):(\d{1,9})(?::\d{1,9})?$/.exec(line) ?? [];
    if (file === undefined) return [];
    const known = Number(at) < NO_ID ? Number(at) : 0;
    return { function: lineName(file, known), file, line: known };
  });
}

function warnings(viewer: Readonly<Record<string, unknown>>, listed: number): string[] {
  const program = text(viewer.moduleName) || 'one program';
  const found = [
    `this is what XLA planned for one run of ${program}, at the moment at which its buffers take most: other programs, and arrays that it is not given, are not among them`,
  ];
  const peak = bytesOf(viewer.peakHeapMib) ?? 0;
  // Each size is rounded to a whole byte.
  if (Math.abs(peak - listed) > MiB / 1024)
    found.push(`its peak is ${formatBytes(peak)}, of which ${formatBytes(listed)} are listed`);
  const unpadded = bytesOf(viewer.peakUnpaddedHeapMib);
  if (unpadded !== null && unpadded > 0 && peak - unpadded > MiB) {
    found.push(
      `${formatBytes(peak - unpadded)} of it is padding: shapes that the device takes in larger tiles`,
    );
  }
  return found;
}
