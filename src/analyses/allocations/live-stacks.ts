import { ownerOf } from '../../model/allocations/frame-owner.ts';
import {
  liveStackPath,
  type ProfileMoment,
  profileMoment,
  liveStacks as rowsOf,
} from '../../model/allocations/live-stacks.ts';
import type { Frame } from '../../model/allocations/names.ts';
import type { Recording } from '../../model/recording.ts';
import { placeText } from './top-stacks.ts';

/** What was in use by call stack, by a heap profile. */
export interface LiveStacks {
  readonly type: 'live-stacks';
  /** Of `bytes` and `objects`: the peak of what the profiler counts, or when the profile was taken. */
  readonly moment: ProfileMoment;
  readonly bytes: number;
  /** null: the profile counts no objects. */
  readonly objects: number | null;
  /** Until then, what is gone included; null: not told. */
  readonly allocatedBytes: number | null;
  readonly allocatedObjects: number | null;
  /** In use at the run's end; null: not told. */
  readonly leftBytes: number | null;
  readonly leftObjects: number | null;
  readonly stacks: number;
  /** By the profile's own labels; none where it has none. */
  readonly parts: readonly LivePart[];
  /** Lines worth reading, each with all stacks that lead there, the largest first. */
  readonly places: readonly LivePlace[];
  readonly otherPlaces: { readonly count: number; readonly bytes: number };
  /** Functions with what they and those they called had made; of libraries only where nothing else is there. */
  readonly functions: readonly LiveFunction[];
}

export interface LivePart {
  readonly device: string;
  readonly kind: string;
  readonly bytes: number;
  readonly objects: number | null;
}

export interface LivePlace {
  readonly where: string;
  readonly bytes: number;
  readonly objects: number | null;
  /** In use at the run's end; null: not told. */
  readonly leftBytes: number | null;
  /** Of the largest stack, innermost first. */
  readonly frames: readonly Frame[];
}

export interface LiveFunction {
  readonly function: string;
  readonly file: string;
  readonly bytes: number;
  /** Made right in it. */
  readonly ownBytes: number;
}

const MOST_PLACES = 12;
const MOST_FUNCTIONS = 12;
const MOST_FRAMES = 12;

/** null where the recording has no heap profile. */
export function liveStacks(recording: Recording): LiveStacks | null {
  const rows = rowsOf(recording);
  if (rows.length === 0) return null;
  const parts = new Map<string, LivePart>();
  const places = new Map<string, LivePlace>();
  const functions = new Map<string, LiveFunction>();
  for (const row of rows) {
    const frames = liveStackPath(recording, row).reverse();
    const { device, kind, bytes } = row;
    const part = JSON.stringify([device, kind]);
    grow(parts, part, row, parts.get(part) ?? { device, kind, bytes: 0, objects: null });
    if (bytes === 0 && !row.leftBytes) continue;
    const where = placeText(frames);
    const shown = frames.slice(0, MOST_FRAMES);
    const empty = { where, bytes: 0, objects: null, leftBytes: null, frames: shown };
    const known = places.get(where) ?? empty;
    const leftBytes = sumOf([known.leftBytes, row.leftBytes]);
    grow(places, where, row, { ...known, leftBytes });
    addFunctions(functions, frames, bytes);
  }
  const sorted = bySize([...places.values()].filter(({ bytes }) => bytes > 0));
  const labelled = [...parts.values()].some(({ device, kind }) => device + kind !== '');
  return {
    type: 'live-stacks',
    moment: profileMoment(rows),
    bytes: rows.reduce((sum, row) => sum + row.bytes, 0),
    objects: sumOf(rows.map(({ objects }) => objects)),
    allocatedBytes: sumOf(rows.map(({ allocatedBytes }) => allocatedBytes)),
    allocatedObjects: sumOf(rows.map(({ allocatedObjects }) => allocatedObjects)),
    leftBytes: sumOf(rows.map(({ leftBytes }) => leftBytes)),
    leftObjects: sumOf(rows.map(({ leftObjects }) => leftObjects)),
    stacks: rows.length,
    parts: labelled ? bySize([...parts.values()]) : [],
    places: sorted.slice(0, MOST_PLACES),
    otherPlaces: {
      count: Math.max(0, sorted.length - MOST_PLACES),
      bytes: sorted.slice(MOST_PLACES).reduce((sum, { bytes }) => sum + bytes, 0),
    },
    functions: worthReading([...functions.values()]),
  };
}

interface Sized {
  readonly bytes: number;
  readonly objects: number | null;
}

function grow<T extends Sized>(groups: Map<string, T>, key: string, more: Sized, known: T): void {
  const objects = more.objects === null ? known.objects : (known.objects ?? 0) + more.objects;
  groups.set(key, { ...known, bytes: known.bytes + more.bytes, objects });
}

/** A function that calls itself is counted once. */
function addFunctions(
  functions: Map<string, LiveFunction>,
  frames: readonly Frame[],
  bytes: number,
): void {
  const seen = new Set<string>();
  for (const [depth, { function: name, file }] of frames.entries()) {
    const key = `${file.length} ${file}${name}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const known = functions.get(key) ?? { function: name, file, bytes: 0, ownBytes: 0 };
    const own = depth === 0 ? bytes : 0;
    functions.set(key, { ...known, bytes: known.bytes + bytes, ownBytes: known.ownBytes + own });
  }
}

function worthReading(all: readonly LiveFunction[]): LiveFunction[] {
  const own = all.filter(({ function: name, file }) => {
    const owner = ownerOf({ function: name, file, line: 0 });
    return owner !== 'framework';
  });
  const told = own.length > 0 ? own : all;
  return told
    .toSorted((a, b) => b.bytes - a.bytes || b.ownBytes - a.ownBytes)
    .slice(0, MOST_FUNCTIONS);
}

const bySize = <T extends { readonly bytes: number }>(list: T[]) =>
  list.sort((a, b) => b.bytes - a.bytes);

/** null where none is told. */
function sumOf(values: readonly (number | null)[]): number | null {
  const told = values.filter((value) => value !== null);
  return told.length === 0 ? null : told.reduce((sum, value) => sum + value, 0);
}
