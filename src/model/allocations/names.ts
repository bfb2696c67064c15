import type { Recording } from '../recording.ts';
import { EMPTY_STACK, NO_ID } from './actions.ts';

/** What the ids of a trace stand for. */

export interface Frame {
  readonly function: string;
  readonly file: string;
  /** 0 when unknown. */
  readonly line: number;
}

/** In place of a function's name, where a source knows lines only. */
export const lineName = (file: string, line: number): string => `${file.split('/').at(-1)}:${line}`;

export interface Pool {
  /** The stream's handle, as decimal text: it may have 64 bits. */
  readonly stream: string;
  /** The id of the (private) pool; null where the source does not tell it. */
  readonly pool: readonly [number, number] | null;
}

/** The frames of a stack, innermost first; none for NO_ID and EMPTY_STACK. */
export function framesOf(recording: Recording, stack: number): Frame[] {
  const { parent, frame } = stackTree(recording);
  const found: Frame[] = [];
  if (stack === NO_ID || stack === EMPTY_STACK || stack >= parent.length) return found;
  for (let node = stack; ; node = parent[node]!) {
    found.push(frameOf(recording, frame[node]!));
    // A node's parent is older than itself; anything else is a damaged table.
    if (parent[node]! >= node) return found;
  }
}

export function frameOf(recording: Recording, row: number): Frame {
  const frames = recording.table('frames');
  return {
    function: recording.text(frames.u32('function')[row]!),
    file: recording.text(frames.u32('file')[row]!),
    line: frames.u32('line')[row] ?? 0,
  };
}

/** All stacks as a tree: a node's parent called it, a root is its own parent. */
export function stackTree(recording: Recording): { parent: Uint32Array; frame: Uint32Array } {
  const stacks = recording.table('stacks');
  return { parent: stacks.u32('parent'), frame: stacks.u32('frame') };
}

/** The text of a tag; '' for NO_ID. */
export function tagText(recording: Recording, tag: number): string {
  const tags = recording.table('tags').u32('tag');
  return tag < tags.length ? recording.text(tags[tag]!) : '';
}

/** All pools, by row. */
export function poolsOf(recording: Recording): Pool[] {
  const pools = recording.table('pools');
  const [owner, number] = [pools.f64('owner'), pools.f64('number')];
  return Array.from(pools.u64('stream'), (stream, row) => ({
    stream: stream.toString(),
    pool: Number.isNaN(owner[row]!) ? null : [owner[row]!, number[row]!],
  }));
}

/** `default pool`, `private pool 0,1 of stream 7`. */
export function poolText({ stream, pool }: Pool): string {
  const isDefault = pool === null || (pool[0] === 0 && pool[1] === 0);
  const name = isDefault ? 'default pool' : `private pool ${pool.join(',')}`;
  return stream === '0' ? name : `${name}, stream ${stream}`;
}
