import type { Recording } from '../../model/recording.ts';
import type { Format } from '../format.ts';
import type { Input } from '../input.ts';
import { eachLine } from './lines.ts';
import { Profile } from './profile.ts';
import { isZstd, unpackedZstd } from './zstd.ts';

/** What heaptrack writes, interpreted (`heaptrack.PROGRAM.PID.zst` or `.gz`): all allocations and frees of a run, by call stack. */
export const heaptrack: Format = {
  id: 'heaptrack',
  title: "heaptrack's file",
  extensions: ['.zst'],
  sniff: (head) => isZstd(head) || /^v [0-9a-f]{1,8}( [0-9a-f]{1,4})?\n[XI] /.test(latin1(head)),
  read: readHeaptrack,
};

const latin1 = (head: Uint8Array) => new TextDecoder('latin1').decode(head.subarray(0, 64));

async function readHeaptrack(input: Input): Promise<Recording> {
  const profile = new Profile(input.name);
  const pieces = unpackedZstd(input.stream(), input.name);
  await eachLine(pieces, input.name, (line) => profile.line(line));
  return profile.recording();
}
