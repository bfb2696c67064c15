import { VERSION } from '../base/version.ts';
import { deviceId, deviceName } from '../model/allocations/device-name.ts';
import { liveByStack, momentsOf, type TraceMoment } from '../model/allocations/live.ts';
import {
  isOfProfile,
  liveStackPath,
  liveStacks,
  MOMENT_WORDS,
  profileMoment,
  shownText,
} from '../model/allocations/live-stacks.ts';
import type { Frame } from '../model/allocations/names.ts';
import { stackPath } from '../model/allocations/stack-path.ts';
import type { Recording } from '../model/recording.ts';
import type { Format, WriteOptions } from './format.ts';

/** What https://www.speedscope.app opens: what lived at one moment, a profile each device. Written only. */
export const speedscope: Format = {
  id: 'speedscope',
  title: 'speedscope profile of live memory',
  extensions: ['.speedscope.json'],
  moment: true,
  sniff: () => false,
  write(recording, { at = 'peak' }: WriteOptions = {}) {
    const frames = new FrameList();
    const profiles = isOfProfile(recording, at)
      ? [ofProfile(recording, frames)]
      : momentsOf(recording, at).map((moment) => profile(recording, moment, frames));
    return pieces(recording, frames, profiles);
  },
  writeNote: (recording, { at = 'peak' }: WriteOptions = {}) => shownText(recording, at),
};

function* pieces(
  recording: Recording,
  frames: FrameList,
  profiles: readonly ReturnType<typeof sampled>[],
): Generator<string> {
  yield `{"$schema":"https://www.speedscope.app/file-format-schema.json",\n`;
  yield `"exporter":${JSON.stringify(`highwater@${VERSION}`)},\n`;
  yield `"name":${JSON.stringify(recording.run.name)},\n"activeProfileIndex":0,\n`;
  yield `"shared":{"frames":${list(frames.all)}},\n`;
  yield `"profiles":[\n`;
  for (const [i, { samples, weights, ...head }] of profiles.entries()) {
    yield `${JSON.stringify(head).slice(0, -1)},\n"samples":${list(samples)},\n`;
    yield `"weights":${JSON.stringify(weights)}}${i + 1 < profiles.length ? ',' : ''}\n`;
  }
  yield ']}\n';
}

/** A line each: such a file can be looked at, and told from another by its lines. */
const list = (items: readonly unknown[]) =>
  items.length === 0 ? '[]' : `[\n${items.map((item) => JSON.stringify(item)).join(',\n')}]`;

function profile(recording: Recording, { trace, event }: TraceMoment, frames: FrameList) {
  const stacks = liveByStack(trace, event).map(({ stack, tag, bytes }) => ({
    sample: stackPath(recording, stack, tag).map((frame) => frames.index(frame)),
    bytes,
  }));
  return sampled(`${deviceName(deviceId(trace.device))}, live after event ${event}`, stacks);
}

function ofProfile(recording: Recording, frames: FrameList) {
  const rows = liveStacks(recording);
  const stacks = rows.map((row) => ({
    sample: liveStackPath(recording, row).map((frame) => frames.index(frame)),
    bytes: row.bytes,
  }));
  return sampled(MOMENT_WORDS[profileMoment(rows)], stacks);
}

function sampled(name: string, all: readonly { sample: number[]; bytes: number }[]) {
  const stacks = all
    .filter(({ bytes }) => bytes > 0)
    // In the order of the call tree: then the view in file order is a flame graph already.
    .sort((a, b) => inTreeOrder(a.sample, b.sample));
  const total = stacks.reduce((sum, { bytes }) => sum + bytes, 0);
  return {
    type: 'sampled',
    name,
    unit: 'bytes',
    startValue: 0,
    endValue: total,
    samples: stacks.map(({ sample }) => sample),
    weights: stacks.map(({ bytes }) => bytes),
  };
}

function inTreeOrder(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((frame, i) => frame !== b[i]);
  return at < 0 ? a.length - b.length : a[at]! - (b[at] ?? -1);
}

/** Frames by content, each once, without what is not known of them. */
class FrameList {
  readonly all: { name: string; file?: string; line?: number }[] = [];
  readonly #known = new Map<string, number>();

  index({ function: name, file, line }: Frame): number {
    const key = JSON.stringify([name, file, line]);
    let found = this.#known.get(key);
    if (found === undefined) {
      found = this.all.length;
      const isKnown = file !== '' && file !== '??';
      const place = isKnown ? { file, ...(line > 0 ? { line } : {}) } : {};
      this.all.push({ name, ...place });
      this.#known.set(key, found);
    }
    return found;
  }
}
