import { TABLES } from '../../../model/schema.ts';
import { goodOnes, isAmount, number, shortName, type Wrong } from './fields.ts';
import type { MeasuredMessage, RowKind } from './kind.ts';

/** [name, kind, bytes]; null bytes: gone, or not measured any more. */
export type LayerRow = readonly [name: string, kind: string, bytes: number | null];

/** What the parts of a model hold at the end of an iteration: only what changed since the last. */
export interface AgentLayers extends MeasuredMessage {
  readonly type: 'layers';
  readonly epoch: number | null;
  readonly iteration: number | null;
  readonly rows: readonly LayerRow[];
}

/** Says that an iteration was, in which nothing changed. */
export const NOTHING_CHANGED: LayerRow = ['', 'iteration', null];

const PART = /^[a-z0-9_]{1,40}$/;

export const layersKind = {
  type: 'layers',
  // They are changes, so that older ones cannot be folded.
  limits: { perMessage: 5000, perRecording: { shareOfDisk: 0.25, rowBytes: 64 } },
  table: TABLES.layers,
  parse(fields): AgentLayers | Wrong {
    const time = number(fields.time);
    if (time === null) return { wrong: 'layers without time' };
    if (!Array.isArray(fields.rows)) return { wrong: 'layers without rows' };
    const { good, refused } = goodOnes(fields.rows, this.limits.perMessage, isLayerRow);
    return {
      type: 'layers',
      time,
      epoch: number(fields.epoch),
      iteration: number(fields.iteration),
      rows: good.map(([name, kind, bytes]) => [shortName(name), kind, bytes] as const),
      ...refused,
    };
  },
  rows({ message, time, pid, rank }, intern) {
    const { epoch, iteration } = message;
    const rows = message.rows.length > 0 ? message.rows : [NOTHING_CHANGED];
    return rows.map(([name, kind, bytes]) => [
      ...[time, pid, rank, epoch, iteration],
      ...[intern(name), intern(kind), bytes],
    ]);
  },
} satisfies RowKind<AgentLayers>;

function isLayerRow(row: unknown): row is LayerRow {
  if (!Array.isArray(row) || row.length !== 3) return false;
  const [name, kind, bytes] = row;
  const sized = bytes === null || isAmount(bytes);
  return typeof name === 'string' && typeof kind === 'string' && PART.test(kind) && sized;
}
