import { isPython } from '../../../model/allocations/frame-owner.ts';
import { layerTag, tagFamilies } from '../../../model/allocations/layer-tag.ts';
import { lifetimes } from '../../../model/allocations/lifetimes.ts';
import { liveRows } from '../../../model/allocations/live.ts';
import { type Frame, tagText } from '../../../model/allocations/names.ts';
import { stackPath } from '../../../model/allocations/stack-path.ts';
import type { DeviceTrace } from '../../../model/allocations/trace.ts';
import type { Recording } from '../../../model/recording.ts';
import { reasonColumn } from '../evidence/row-reasons.ts';
import { surveyOf } from '../evidence/survey.ts';
import type { CallSite } from './tree.ts';

/** Whose bytes are counted: what lives after an event (-1: before the first), or what is made by events `from` up to `to`. */
export type FlameRows = { readonly at: number } | { readonly from: number; readonly to: number };

export interface SiteOptions {
  /** What an allocation is stands above its call stack. */
  readonly byCategory: boolean;
  /** Frames of C++ as well, where the recording has them; without, a stack keeps them only if it has no others. */
  readonly native: boolean;
}

export function callSites(
  recording: Recording,
  trace: DeviceTrace,
  rows: FlameRows,
  { byCategory, native }: SiteOptions,
): CallSite[] {
  const life = lifetimes(trace);
  const { of, reasons } = reasonColumn(surveyOf(recording, trace));
  const family = tagFamilies(recording);
  const groups = new Map<string, { row: number; bytes: number; allocations: number }>();
  for (const row of chosenRows(trace, rows)) {
    const kind = byCategory ? reasons[of[row]!]!.category : '';
    const key = `${life.stack[row]} ${family(life.tagOf(row))} ${kind}`;
    let group = groups.get(key);
    if (!group) {
      group = { row, bytes: 0, allocations: 0 };
      groups.set(key, group);
    }
    group.bytes += life.size[row]!;
    group.allocations++;
  }
  return [...groups.values()].map(({ row, bytes, allocations }) => {
    const all = stackPath(recording, life.stack[row]!, family(life.tagOf(row))).map(
      withoutIteration,
    );
    const path = native ? all : withoutNative(all, tagText(recording, life.tagOf(row)) !== '');
    const kind = { function: reasons[of[row]!]!.category, file: '', line: 0 };
    return { path: byCategory ? [kind, ...path] : path, bytes, allocations };
  });
}

/** What a layer made in each iteration is one box. */
const withoutIteration = (frame: Frame): Frame =>
  frame.file === ''
    ? { ...frame, function: layerTag(frame.function)?.part ?? frame.function }
    : frame;

/** A tag stays, at the end. */
function withoutNative(path: readonly Frame[], tagged: boolean): readonly Frame[] {
  const python = path.filter(({ file }) => isPython(file));
  if (python.length === 0) return path;
  return tagged ? [...python, path.at(-1)!] : python;
}

function chosenRows(trace: DeviceTrace, rows: FlameRows): Iterable<number> {
  if ('at' in rows) return liveRows(trace, rows.at);
  const { start, allocs } = lifetimes(trace);
  const found: number[] = [];
  for (let row = 0; row < allocs && start[row]! < rows.to; row++) {
    if (start[row]! >= rows.from) found.push(row);
  }
  return found;
}
