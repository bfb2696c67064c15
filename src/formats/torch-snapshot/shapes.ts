import { FormatError } from '../../base/errors.ts';
import { BLOCK_STATE, OWNER, SEGMENT_KIND } from '../../model/allocations/actions.ts';
import type { Texts } from '../pickle/texts.ts';
import { type Cells, type Fields, type Shape, TAG } from '../pickle/values.ts';
import { listAt, numberAt, stackAt } from './cells.ts';
import { KEY } from './keys.ts';
import { RowLists } from './lists.ts';
import type { Pools } from './pools.ts';

/** Numbers of the shapes, in the order in which the unpickler is given them. */
export const SHAPE = { frames: 0, events: 1, blocks: 2, segments: 3, annotations: 4, history: 5 };

/** A dict whose values go into a row each, by `fill`. */
abstract class RowShape<Field extends string> implements Shape {
  abstract readonly marker: string;
  readonly lists = new RowLists();
  readonly rows: RowColumns<Field>;

  constructor(fields: readonly Field[]) {
    this.rows = new RowColumns(fields);
  }

  protected abstract fill(row: number, columns: Record<Field, Float64Array>, fields: Fields): void;

  add(fields: Fields): number {
    const row = this.rows.add();
    this.fill(row, this.rows.columns, fields);
    return row;
  }

  append(list: number, items: Cells, from: number, to: number): number {
    return this.lists.append(list, items, from, to);
  }
}

type BlockField = 'low' | 'high' | 'size' | 'requested' | 'state' | 'stack' | 'history' | 'owner';

export class Blocks extends RowShape<BlockField> {
  readonly marker = 'state';
  readonly #texts: () => Texts;

  constructor(texts: () => Texts) {
    super(['low', 'high', 'size', 'requested', 'state', 'stack', 'history', 'owner']);
    this.#texts = texts;
  }

  protected fill(row: number, columns: Record<BlockField, Float64Array>, fields: Fields): void {
    const placed = fields.tags[KEY.address] !== TAG.none;
    columns.low[row] = placed ? fields.low[KEY.address]! : Number.NaN;
    columns.high[row] = fields.high[KEY.address]!;
    columns.size[row] = numberAt(fields, KEY.size);
    columns.requested[row] = numberAt(fields, KEY.requested_size, Number.NaN);
    columns.stack[row] = stackAt(fields, KEY.frames, SHAPE.frames);
    columns.history[row] = listAt(fields, KEY.history, SHAPE.history);
    columns.state[row] = stateCode(textAt(fields, KEY.state, this.#texts()));
    columns.owner[row] = ownerCode(textAt(fields, KEY.highwater_owner, this.#texts()));
  }
}

/** The documentation says `active_awaiting_free`, the code writes `active_pending_free`. */
function stateCode(state: string): number {
  if (state === 'active_allocated') return BLOCK_STATE.allocated;
  return state === 'inactive' ? BLOCK_STATE.inactive : BLOCK_STATE.pending;
}

const OWNERS: ReadonlyMap<string, number> = new Map(Object.entries(OWNER));
const ownerCode = (owner: string) => OWNERS.get(owner) ?? OWNER.untold;

type SegmentField =
  | 'device'
  | 'low'
  | 'high'
  | 'size'
  | 'pool'
  | 'kind'
  | 'expandable'
  | 'stack'
  | 'blocks';

export class Segments extends RowShape<SegmentField> {
  readonly marker = 'total_size';
  readonly #texts: () => Texts;
  readonly #pools: Pools;

  constructor(texts: () => Texts, pools: Pools) {
    super(['device', 'low', 'high', 'size', 'pool', 'kind', 'expandable', 'stack', 'blocks']);
    this.#texts = texts;
    this.#pools = pools;
  }

  protected fill(row: number, columns: Record<SegmentField, Float64Array>, fields: Fields): void {
    const { tags, low } = fields;
    const pair = tags[KEY.segment_pool_id] === TAG.pair ? low[KEY.segment_pool_id]! : -1;
    const kind = textAt(fields, KEY.segment_type, this.#texts());
    columns.device[row] = numberAt(fields, KEY.device);
    columns.low[row] = fields.low[KEY.address]!;
    columns.high[row] = fields.high[KEY.address]!;
    columns.size[row] = numberAt(fields, KEY.total_size);
    columns.pool[row] = this.#pools.row(fields.low[KEY.stream]!, fields.high[KEY.stream]!, pair);
    columns.kind[row] = kind === 'small' || kind === 'large' ? SEGMENT_KIND[kind] : 0;
    columns.expandable[row] = numberAt(fields, KEY.is_expandable);
    columns.stack[row] = stackAt(fields, KEY.frames, SHAPE.frames);
    columns.blocks[row] = listAt(fields, KEY.blocks, SHAPE.blocks);
  }
}

type AnnotationField = 'name' | 'begin' | 'time';

/** Phases that the program named: record_function and the optimizers' own. */
export class Annotations extends RowShape<AnnotationField> {
  readonly marker = 'stage';
  readonly #texts: () => Texts;

  constructor(texts: () => Texts) {
    super(['name', 'begin', 'time']);
    this.#texts = texts;
  }

  protected fill(
    row: number,
    columns: Record<AnnotationField, Float64Array>,
    fields: Fields,
  ): void {
    const named = fields.tags[KEY.name] === TAG.text;
    columns.name[row] = named ? fields.low[KEY.name]! : Number.NaN;
    columns.begin[row] = textAt(fields, KEY.stage, this.#texts()) === 'START' ? 1 : 0;
    columns.time[row] = numberAt(fields, KEY.time_us, Number.NaN);
  }
}

/** What older versions kept in a block in place of `requested_size` and `frames`. */
export class History extends RowShape<'size' | 'stack'> {
  readonly marker = 'real_size';

  constructor() {
    super(['size', 'stack']);
  }

  /** The row of a list's first entry: the newest. */
  first(list: number): number {
    return this.lists.stretches(list)[0]!.start;
  }

  protected fill(
    row: number,
    columns: Record<'size' | 'stack', Float64Array>,
    fields: Fields,
  ): void {
    columns.size[row] = numberAt(fields, KEY.real_size);
    columns.stack[row] = stackAt(fields, KEY.frames, SHAPE.frames);
  }
}

function textAt({ tags, low }: Fields, key: number, texts: Texts): string {
  return tags[key] === TAG.text ? texts.text(low[key]!) : '';
}

/** A device of a terabyte in blocks of 512 bytes would have more; nobody could use it. */
const MOST_ROWS = 1 << 22;

/** Rows of a kind that a snapshot has few of: a column of doubles for each field, NaN when missing. */
class RowColumns<Field extends string> {
  count = 0;
  readonly columns: Record<Field, Float64Array>;

  constructor(fields: readonly Field[]) {
    const columns = fields.map((field) => [field, new Float64Array(64).fill(Number.NaN)]);
    this.columns = Object.fromEntries(columns) as Record<Field, Float64Array>;
  }

  add(): number {
    const row = this.count++;
    if (row === MOST_ROWS) throw new FormatError('has more segments or blocks than any snapshot');
    for (const [field, old] of Object.entries<Float64Array>(this.columns)) {
      if (row < old.length) return row;
      const bigger = new Float64Array(old.length * 2).fill(Number.NaN, old.length);
      bigger.set(old);
      this.columns[field as Field] = bigger;
    }
    return row;
  }
}
