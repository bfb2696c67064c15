import { ACTION } from '../../model/allocations/actions.ts';
import type { Recording } from '../../model/recording.ts';
import { ruleOf, TAG_RULES, type TagGroup, type TagRule, UNMATCHED } from './rules.ts';

/** All allocations of one category. */
export interface TagCategory {
  readonly category: string;
  readonly label: string;
  readonly group: TagGroup;
  readonly bytes: number;
  readonly count: number;
  /** Of all bytes allocated, 0 to 1. */
  readonly share: number;
  /** Live when most was; null where releases are not known. */
  readonly bytesAtPeak: number | null;
  /** The tag of each allocation, in their order. */
  readonly tags: readonly string[];
}

/** What a tagged allocation log says. Sums of what was allocated, unless a field names the peak. */
export interface TagAnalysis {
  readonly type: 'tags';
  readonly name: string;
  /** In the order in which the log first has them. */
  readonly categories: readonly TagCategory[];
  readonly totals: {
    readonly bytes: number;
    readonly count: number;
    /** `in_arg` and `arg_grad`. */
    readonly weightsBytes: number;
    readonly forwardBytes: number;
    /** Defaults that say nothing, and tags that no rule meets. */
    readonly unknownBytes: number;
  };
  /** Tags that no rule meets, largest first. */
  readonly unmatched: readonly { tag: string; bytes: number; count: number }[];
  /** The most that was live at once; null where releases are not known. */
  readonly peak: { readonly bytes: number; readonly event: number } | null;
  /** The device's own figure, where the log has it. */
  readonly device: { readonly peakUsedBytes: number; readonly totalBytes: number } | null;
  readonly warnings: readonly string[];
}

/** Sorts the tags of a recording's allocations into categories. */
export function tags(recording: Recording, rules: readonly TagRule[] = TAG_RULES): TagAnalysis {
  const events = tagEvents(recording);
  const ruleOfTag = events.names.map((tag) => ruleOf(tag, rules));
  const peak = peakOf(events);
  const open = new Map<string, CategorySums>();
  for (let i = 0; i < events.length; i++) {
    const rule = ruleOfTag[events.tag[i]!] ?? UNMATCHED;
    const bytes = events.bytes[i]!;
    let sums = open.get(rule.category);
    if (!sums) {
      sums = { rule, bytes: 0, live: 0, tags: [] };
      open.set(rule.category, sums);
    }
    if (peak !== null && i <= peak.event) sums.live += events.sign[i]! * bytes;
    if (events.sign[i]! < 0) continue;
    sums.bytes += bytes;
    sums.tags.push(events.names[events.tag[i]!] ?? '');
  }
  const all = [...open.values()];
  const total = (group?: TagGroup) =>
    all.reduce((sum, { rule, bytes }) => (!group || rule.group === group ? sum + bytes : sum), 0);
  return {
    type: 'tags',
    name: recording.run.name,
    categories: all.map(({ rule, bytes, live, tags }) => ({
      category: rule.category,
      label: rule.label,
      group: rule.group,
      bytes,
      count: tags.length,
      share: total() > 0 ? bytes / total() : 0,
      bytesAtPeak: peak && live,
      tags,
    })),
    totals: {
      bytes: total(),
      count: all.reduce((sum, { tags }) => sum + tags.length, 0),
      weightsBytes: total('weights'),
      forwardBytes: total('forward'),
      unknownBytes: total('unknown'),
    },
    unmatched: unmatchedTags(events, ruleOfTag),
    peak,
    device: deviceFigure(recording),
    warnings: recording.run.warnings,
  };
}

interface CategorySums {
  readonly rule: TagRule;
  bytes: number;
  live: number;
  readonly tags: string[];
}

function peakOf(events: TagEvents): TagAnalysis['peak'] {
  if (!events.sign.includes(-1)) return null;
  const peak = { bytes: 0, event: -1 };
  let live = 0;
  for (let i = 0; i < events.length; i++) {
    live += events.sign[i]! * events.bytes[i]!;
    if (live > peak.bytes) [peak.bytes, peak.event] = [live, i];
  }
  return peak;
}

function unmatchedTags(events: TagEvents, ruleOfTag: readonly TagRule[]): TagAnalysis['unmatched'] {
  const found = new Map<number, { tag: string; bytes: number; count: number }>();
  for (let i = 0; i < events.length; i++) {
    const row = events.tag[i]!;
    if (events.sign[i]! < 0 || (ruleOfTag[row] ?? UNMATCHED) !== UNMATCHED) continue;
    const sums = found.get(row) ?? { tag: events.names[row] ?? '', bytes: 0, count: 0 };
    sums.bytes += events.bytes[i]!;
    sums.count++;
    found.set(row, sums);
  }
  return [...found.values()].sort((a, b) => b.bytes - a.bytes);
}

function deviceFigure(recording: Recording): TagAnalysis['device'] {
  const gpu = recording.table('gpu');
  if (gpu.rows === 0) return null;
  const [used, total] = [gpu.f64('used'), gpu.f64('total')];
  let row = 0;
  for (let i = 1; i < gpu.rows; i++) if (used[i]! > used[row]!) row = i;
  return { peakUsedBytes: used[row]!, totalBytes: total[row]! };
}

/** Allocations and releases in their order, as columns. */
interface TagEvents {
  readonly length: number;
  /** Row of the tag in `names`; one beyond them where there is none. */
  readonly tag: Uint32Array;
  readonly bytes: Float64Array;
  /** 1 for an allocation, −1 for a release. */
  readonly sign: Int8Array;
  readonly names: readonly string[];
}

function tagEvents(recording: Recording): TagEvents {
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
