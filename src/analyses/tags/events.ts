import { ACTION } from '../../model/allocations/actions.ts';
import type { Recording } from '../../model/recording.ts';

/** Allocations and releases in their order, as columns. */
export interface TagEvents {
  readonly length: number;
  /** Row of the tag in `names`; one beyond them where there is none. */
  readonly tag: Uint32Array;
  readonly bytes: Float64Array;
  /** 1 for an allocation, −1 for a release. */
  readonly sign: Int8Array;
  readonly names: readonly string[];
}

export function tagEvents(recording: Recording): TagEvents {
  const table = recording.table('allocations');
  const [action, size, tagRow] = [table.u8('action'), table.f64('size'), table.u32('tag')];
  const tagTable = recording.table('tags');
  const names = Array.from(tagTable.u32('tag'), (id) => recording.text(id));
  const tag = new Uint32Array(table.rows);
  const bytes = new Float64Array(table.rows);
  const sign = new Int8Array(table.rows);
  let length = 0;
  for (let row = 0; row < table.rows; row++) {
    if (action[row] !== ACTION.alloc && action[row] !== ACTION.free_completed) continue;
    tag[length] = tagRow[row]!;
    bytes[length] = size[row]!;
    sign[length] = action[row] === ACTION.alloc ? 1 : -1;
    length++;
  }
  return { length, tag, bytes, sign, names };
}
