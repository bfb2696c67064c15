import { EMPTY_STACK } from '../../../model/allocations/actions.ts';
import { isPython, isUnwinder } from '../../../model/allocations/frame-owner.ts';
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
  /** Frames of C++ as well, where the recording has them; without, a stack of nothing else has a name in their place. */
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
    const key = `${life.stack[row]} ${family(life.tagOf(row))} ${reasons[of[row]!]!.category}`;
    let group = groups.get(key);
    if (!group) {
      group = { row, bytes: 0, allocations: 0 };
      groups.set(key, group);
    }
    group.bytes += life.size[row]!;
    group.allocations++;
  }
  return [...groups.values()].map(({ row, bytes, allocations }) => {
    const whole = stackPath(recording, life.stack[row]!, family(life.tagOf(row)));
    const told = whole.filter((frame) => !isUnwinder(frame)).map(withoutIteration);
    const all = told.length > 0 ? told : [named(CPP_ONLY)];
    const tagged = tagText(recording, life.tagOf(row)) !== '';
    const framed = life.stack[row]! < EMPTY_STACK;
    const path = native || !framed ? all : withoutNative(all, tagged);
    const { category } = reasons[of[row]!]!;
    return { path: byCategory ? [named(category), ...path] : path, bytes, allocations, category };
  });
}

/** What a layer made in each iteration is one box. */
const withoutIteration = (frame: Frame): Frame =>
  frame.file === ''
    ? { ...frame, function: layerTag(frame.function)?.part ?? frame.function }
    : frame;

const named = (text: string): Frame => ({ function: text, file: '', line: 0 });

/** In place of a stack of C++ alone. */
const AUTOGRAD = "[autograd's thread, without Python frames]";
const CPP_ONLY = '[C++ code, without Python frames]';

/** A tag stays, at the end. `path`: of a stack that was recorded. */
function withoutNative(path: readonly Frame[], tagged: boolean): readonly Frame[] {
  const tag = tagged ? [path.at(-1)!] : [];
  const frames = tagged ? path.slice(0, -1) : path;
  const python = frames.filter(({ file }) => isPython(file));
  if (python.length > 0) return [...python, ...tag];
  const inBackward = frames.some(({ function: name }) => /autograd::/.test(name));
  return [named(inBackward ? AUTOGRAD : CPP_ONLY), ...tag];
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
