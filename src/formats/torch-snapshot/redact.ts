import type { Redactor } from '../../base/redaction/index.ts';
import { withoutSecrets } from '../../base/secrets/index.ts';
import { ACTION } from '../../model/allocations/actions.ts';
import type { Recording } from '../../model/recording.ts';
import { rewriteTexts } from '../pickle/rewrite.ts';
import { KEYS } from './keys.ts';

/** PyTorch's own words, which say how the rest is read. */
const VOCABULARY: ReadonlySet<string> = new Set([
  ...KEYS,
  ...Object.keys(ACTION),
  ...['segments', 'device_traces', 'host_segments', 'host_traces', 'external_annotations'],
  ...['allocator_settings', 'active_allocated', 'active_pending_free', 'active_awaiting_free'],
  ...['inactive', 'small', 'large', 'START', 'END'],
]);

/** What texts of a snapshot are, as its reader found. */
export interface SnapshotTexts {
  readonly files: ReadonlySet<string>;
  readonly functions: ReadonlySet<string>;
}

export function textsOf(read: Recording): SnapshotTexts {
  const frames = read.table('frames');
  const texts = (column: string) => new Set(Array.from(frames.u32(column), (id) => read.text(id)));
  return { files: texts('file'), functions: texts('function') };
}

/** A snapshot to give away: names and texts are others, all else is as it was. What is neither file nor function are somebody's own words. */
export function redactSnapshot(
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  { files, functions }: SnapshotTexts,
  redactor: Redactor,
): AsyncGenerator<Uint8Array> {
  return rewriteTexts(pieces, (text) => {
    if (VOCABULARY.has(text)) return text;
    const plain = withoutSecrets(text);
    if (files.has(text)) return redactor.path(plain);
    return functions.has(text) ? redactor.functionName(plain) : redactor.own(plain);
  });
}
