import { deviceId, deviceName } from '../model/allocations/device-name.ts';
import { liveByStack, momentsOf, type TraceMoment } from '../model/allocations/live.ts';
import {
  isOfProfile,
  liveStackPath,
  liveStacks,
  shownText,
} from '../model/allocations/live-stacks.ts';
import { frameText, stackPath } from '../model/allocations/stack-path.ts';
import type { HeldPaths } from '../model/heap/held-path.ts';
import type { Recording } from '../model/recording.ts';
import type { Format, WriteOptions } from './format.ts';

/**
 * Folded stacks, `outermost;…;innermost bytes`, as flamegraph.pl, inferno and speedscope read them:
 * what lived at one moment, by who made it. Written only.
 */
export const collapsed: Format = {
  id: 'collapsed',
  title: 'collapsed stacks for flame graphs',
  extensions: ['.collapsed', '.folded'],
  moment: true,
  sniff: () => false,
  write(recording, { at = 'peak' }: WriteOptions = {}) {
    return isOfProfile(recording, at)
      ? profileLines(recording)
      : lines(recording, momentsOf(recording, at));
  },
  writeHeap: heapLines,
  writeNote: (recording, { at = 'peak' }: WriteOptions = {}) => shownText(recording, at),
};

const LINES_A_PIECE = 256;

function* lines(recording: Recording, moments: readonly TraceMoment[]): Generator<string> {
  let piece = '';
  let count = 0;
  for (const { trace, event } of moments) {
    const root = moments.length > 1 ? `${deviceName(deviceId(trace.device))};` : '';
    for (const { stack, tag, bytes } of liveByStack(trace, event)) {
      if (bytes === 0) continue;
      const path = stackPath(recording, stack, tag).map((frame) => plain(frameText(frame)));
      piece += `${root}${path.join(';')} ${bytes}\n`;
      if (++count % LINES_A_PIECE !== 0) continue;
      yield piece;
      piece = '';
    }
  }
  yield piece;
}

function* profileLines(recording: Recording): Generator<string> {
  for (const row of liveStacks(recording)) {
    const path = liveStackPath(recording, row).map((frame) => plain(frameText(frame)));
    if (row.bytes > 0) yield `${path.join(';')} ${row.bytes}\n`;
  }
}

function* heapLines({ paths }: HeldPaths): Generator<string> {
  for (const { path, bytes } of paths) {
    if (bytes > 0) yield `${path.map(plain).join(';')} ${bytes}\n`;
  }
}

/** The form has no escapes; a colon is what others put in place of a semicolon. */
const plain = (text: string) => text.replaceAll(';', ':').replace(/[\x00-\x1f\x7f]+/g, ' ');
