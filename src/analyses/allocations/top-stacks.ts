import { EMPTY_STACK, NO_ID } from '../../model/allocations/actions.ts';
import {
  type FramePlace,
  isPassThrough,
  isPython,
  ownerOf,
  placeOf,
} from '../../model/allocations/frame-owner.ts';
import { layerTag, tagFamilies } from '../../model/allocations/layer-tag.ts';
import { type Frame, framesOf, lineName, tagText } from '../../model/allocations/names.ts';
import type { Recording } from '../../model/recording.ts';
import { CATEGORIES, type Category } from './evidence/reasons.ts';
import { reasonsOf } from './evidence/row-reasons.ts';
import type { TraceSurvey } from './evidence/survey.ts';

/** Allocations made at one place of the program. */
export interface StackShare {
  readonly bytes: number;
  readonly allocations: number;
  /** What most of its bytes are. */
  readonly category: Category;
  /** The line worth reading first. */
  readonly where: string;
  /** Python frames, innermost first, the program's own before those of libraries; none in autograd's threads. */
  readonly frames: readonly Frame[];
  /** The row of `stacks` (the largest of several that lead there); null without a stack. */
  readonly stack: number | null;
}

export interface TagShare {
  readonly tag: string;
  readonly bytes: number;
  readonly allocations: number;
}

/** The largest of all, and what the others hold together. */
export interface Top<T> {
  readonly shown: readonly T[];
  readonly others: { readonly count: number; readonly bytes: number };
}

const MOST_FRAMES = 8;

export function topStacks(
  survey: TraceSurvey,
  live: Iterable<number>,
  most: number,
): Top<StackShare> {
  const { life, recording } = survey;
  const reasonOf = reasonsOf(survey);
  const groups = new Map<number, { bytes: number; rows: number; of: Map<Category, number> }>();
  for (const row of live) {
    const { category } = reasonOf(row);
    const stack = stackOf(life, row);
    // Without a stack it is the category that tells them apart.
    const key = stack === NO_ID ? NO_ID + CATEGORIES.indexOf(category) : stack;
    let group = groups.get(key);
    if (!group) {
      group = { bytes: 0, rows: 0, of: new Map() };
      groups.set(key, group);
    }
    group.bytes += life.size[row]!;
    group.rows++;
    group.of.set(category, (group.of.get(category) ?? 0) + life.size[row]!);
  }
  const places = atOnePlace(
    [...groups].map(([key, { bytes, rows, of }]) => {
      const stack = Math.min(key, NO_ID);
      return {
        bytes,
        allocations: rows,
        category: [...of].sort((a, b) => b[1] - a[1])[0]![0],
        ...describeStack(recording, stack),
        stack: stack >= EMPTY_STACK ? null : stack,
      };
    }),
  );
  return {
    shown: places.slice(0, most),
    others: {
      count: Math.max(0, places.length - most),
      bytes: places.slice(most).reduce((sum, { bytes }) => sum + bytes, 0),
    },
  };
}

/** A block from before the trace has an empty stack where nobody recorded one. */
const stackOf = ({ stack, allocs }: TraceSurvey['life'], row: number): number =>
  row >= allocs && stack[row] === EMPTY_STACK ? NO_ID : stack[row]!;

/** Stacks that differ only in frames nobody reads are one place; the largest stands for all. */
function atOnePlace(stacks: StackShare[]): StackShare[] {
  const places = new Map<string, StackShare>();
  for (const share of stacks.sort((a, b) => b.bytes - a.bytes)) {
    const key = `${share.category} ${share.where}`;
    const known = places.get(key);
    if (!known) places.set(key, share);
    else {
      const bytes = known.bytes + share.bytes;
      places.set(key, { ...known, bytes, allocations: known.allocations + share.allocations });
    }
  }
  return [...places.values()].sort((a, b) => b.bytes - a.bytes);
}

export function topTags(
  { life, recording }: TraceSurvey,
  live: Iterable<number>,
  most: number,
): Top<TagShare> {
  const groups = new Map<number, { bytes: number; rows: number; tags: Set<number> }>();
  const family = tagFamilies(recording);
  for (const row of live) {
    const tag = life.tagOf(row);
    if (tag === NO_ID) continue;
    const group = groups.get(family(tag));
    if (group) {
      group.bytes += life.size[row]!;
      group.rows++;
      group.tags.add(tag);
    } else groups.set(family(tag), { bytes: life.size[row]!, rows: 1, tags: new Set([tag]) });
  }
  const sorted = [...groups.values()]
    .map(({ bytes, rows, tags }) => ({ tag: tagWords(recording, tags), bytes, allocations: rows }))
    .filter(({ tag }) => tag !== '')
    .sort((a, b) => b.bytes - a.bytes);
  return {
    shown: sorted.slice(0, most),
    others: {
      count: Math.max(0, sorted.length - most),
      bytes: sorted.slice(most).reduce((sum, { bytes }) => sum + bytes, 0),
    },
  };
}

/** Of a layer's: in which iterations what lives was made. */
function tagWords(recording: Recording, tags: ReadonlySet<number>): string {
  const texts = [...tags].map((tag) => tagText(recording, tag));
  const of = texts.map(layerTag).filter((found) => found !== null);
  if (of.length === 0) return texts[0]!;
  const numbers = of.map(({ iteration }) => iteration);
  const [first, last] = [Math.min(...numbers), Math.max(...numbers)];
  const when = first === last ? `iteration ${first}` : `iterations ${first}–${last}`;
  return `${of[0]!.part} (${when})`;
}

/** The frames of a stack that say something to the person who wrote the program. */
export function describeStack(
  recording: Recording,
  stack: number,
): { where: string; frames: Frame[] } {
  if (stack === NO_ID) return { where: 'no stack was recorded', frames: [] };
  if (stack === EMPTY_STACK) return { where: "autograd's thread (no Python frame)", frames: [] };
  const all = framesOf(recording, stack);
  const python = all.filter((frame) => isPython(frame.file) && !isPassThrough(frame));
  const isOwn = (frame: Frame) => ownerOf(frame) === 'program';
  const frames = [...python.filter(isOwn), ...python.filter((frame) => !isOwn(frame))];
  const place = placeOf(all);
  if (!place) {
    const native = all.find(({ function: name }) => /autograd::|at::native::/.test(name)) ?? all[0];
    return { where: native ? shortNative(native.function) : 'no Python frame', frames: [] };
  }
  return { where: placeWords(place), frames: frames.slice(0, MOST_FRAMES) };
}

/** The same in one line for any frames, innermost first, also of other languages. */
export function placeText(frames: readonly Frame[]): string {
  const place = placeOf(frames);
  // A profile's rows are lines: what was done there is told by its functions.
  if (place) return placeWords({ ...place, inner: place.site });
  const [inner] = frames;
  if (!inner) return 'no stack was recorded';
  return inner.line > 0 ? frameWords(inner) : inner.function;
}

/** The model's own line says what it is, the innermost name what was done, the program's line for whom. */
function placeWords({ site, caller, inner }: FramePlace): string {
  const done = inner === site || inner.function === site.function ? '' : ` (${inner.function})`;
  const whom = caller ? `, from ${frameWords(caller).replace(/ <module>$/, '')}` : '';
  return `${frameWords(site)}${done}${whom}`;
}

const frameWords = ({ function: name, file, line }: Frame) => {
  const place = `${shortFile(file)}:${line}`;
  return name === lineName(file, line) ? place : `${place} ${name}`;
};

/** Enough of a path to know the file by: of a package its name and the file's. */
function shortFile(file: string): string {
  const parts = file.split('/').filter(Boolean);
  const installed = parts.findLastIndex((part) => /^(site|dist)-packages$/.test(part));
  const [first, ...rest] = installed >= 0 ? parts.slice(installed + 1) : parts.slice(-2);
  return rest.length > 2 ? `${first}/…/${rest.at(-1)}` : [first, ...rest].join('/');
}

/** Without arguments, and without what a compiler calls a place that has no name. */
const shortNative = (name: string) =>
  name.replaceAll('(anonymous namespace)::', '').replace(/\(.*$/, '').replace(/^.*\s/, '');
