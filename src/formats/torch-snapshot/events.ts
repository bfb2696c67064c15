import { ACTION, NO_ID } from '../../model/allocations/actions.ts';
import type { EventsSoFar } from '../../model/allocations/trace-scan.ts';
import type { Texts } from '../pickle/texts.ts';
import { type Cells, type Fields, type Shape, TAG, type WrittenRecord } from '../pickle/values.ts';
import { ActionCodes } from './action-codes.ts';
import { AlikeEvents } from './alike-events.ts';
import { numberAt, stackAt } from './cells.ts';
import {
  type EventColumns,
  grown,
  isNarrow,
  newColumns,
  untagged,
  wideSizes,
} from './event-columns.ts';
import type { Frames } from './frames.ts';
import { KEY } from './keys.ts';
import { type EventRange, LaterEvents } from './later-events.ts';
import { LEFT_OUT, RowLists } from './lists.ts';
import type { Pools } from './pools.ts';
import type { Tags } from './tags.ts';

export interface EventOptions {
  readonly texts: () => Texts;
  readonly pools: Pools;
  readonly tags: Tags;
  readonly frames: Frames;
  /** The number of the shape that frames have. */
  readonly framesShape: number;
  readonly range: EventRange | null;
  /** Rows that are set aside; memory that is not touched costs nothing. */
  readonly expected: number;
  /** Other threads look at the columns. */
  readonly shared: boolean;
}

/** The events of all devices, in the order of the file, as columns of the table `allocations`. */
export class Events implements Shape {
  readonly marker = 'action';
  readonly frequent = true;
  readonly lists = new RowLists();
  /** By list: what comes after the range that is kept. */
  readonly laterEvents = new Map<number, LaterEvents>();
  /** Only where a range is wanted must a dict's place in its list be known. */
  readonly length?: (list: number) => number;
  rows = 0;
  /** The earliest of all rows' times. */
  earliest = Number.POSITIVE_INFINITY;
  columns: EventColumns;
  readonly #codes: ActionCodes;
  readonly #pools: Pools;
  readonly #tags: Tags;
  readonly #frames: number;
  readonly #range: EventRange | null;
  readonly #shared: boolean;
  readonly #alike: AlikeEvents;
  #later = new LaterEvents();

  constructor(options: EventOptions) {
    const { texts, pools, tags, frames, framesShape, range, expected, shared } = options;
    this.#codes = new ActionCodes(texts);
    this.#pools = pools;
    this.#tags = tags;
    this.#frames = framesShape;
    this.#alike = new AlikeEvents(frames, framesShape, this.#codes);
    this.#range = range;
    if (range) this.length = (list) => this.lists.length(list);
    this.#shared = shared;
    this.columns = newColumns(expected, shared);
  }

  /** What other threads may look at: sizes only for as long as they have the room that was set aside for them. */
  get watched(): EventsSoFar {
    const { action, address, size } = this.columns;
    return { action, address, size: size instanceof Uint32Array ? size : null };
  }

  add(fields: Fields, position: number): number {
    if (this.#range && !this.#wanted(fields, position, this.#range)) return LEFT_OUT;
    if (this.rows === this.columns.action.length) this.columns = grown(this.columns, this.#shared);
    const row = this.rows++;
    const { columns } = this;
    const address = fields.tags[KEY.addr] === TAG.none ? KEY.device_free : KEY.addr;
    columns.action[row] = this.#action(fields);
    columns.address[2 * row] = fields.low[address]!;
    columns.address[2 * row + 1] = fields.high[address]!;
    this.#size(row, numberAt(fields, KEY.size));
    const time = numberAt(fields, KEY.time_us, Number.NaN);
    if (time < this.earliest) this.earliest = time;
    columns.time[row] = time;
    columns.stack[row] = stackAt(fields, KEY.frames, this.#frames);
    if (fields.tags[KEY.user_metadata] === TAG.text) this.#tag(row, fields.low[KEY.user_metadata]!);
    const pair = fields.tags[KEY.pool_id] === TAG.pair ? fields.low[KEY.pool_id]! : -1;
    const placed = fields.tags[KEY.stream] !== TAG.none;
    const pool = placed ? this.#pool(fields, pair) : NO_ID;
    if (pool !== 0) columns.pool[row] = pool;
    return row;
  }

  /** Those that follow and are written alike; of a range, each is looked at. */
  addAlike(record: WrittenRecord): number {
    if (this.#range) return record.end;
    const next = this.#alike.read(record, this.columns, this.rows);
    this.rows = this.#alike.rows;
    this.earliest = Math.min(this.earliest, this.#alike.earliest);
    return next;
  }

  append(list: number, items: Cells, from: number, to: number): number {
    const id = this.lists.append(list, items, from, to);
    if (this.#range && list < 0) this.laterEvents.set(id, this.#later);
    return id;
  }

  /** Whether an event is within the range; those after it are looked at and forgotten. */
  #wanted(fields: Fields, position: number, range: EventRange): boolean {
    if (position === 0) this.#later = new LaterEvents();
    this.#later.events = position + 1;
    if (position < range.to) return position >= range.from;
    const [low, high] = [fields.low[KEY.addr]!, fields.high[KEY.addr]!];
    const size = numberAt(fields, KEY.size);
    this.#later.add(this.#action(fields), low, high, size, this.#pool(fields, -1));
    return false;
  }

  /** The first of 4 GiB or more makes room for all. */
  #size(row: number, bytes: number): void {
    const { columns } = this;
    if (!isNarrow(bytes)) columns.size = wideSizes(columns, row, columns.action.length);
    columns.size[row] = bytes;
  }

  /** Most traces have no tags: the column is made with the first. */
  #tag(row: number, text: number): void {
    const tag = this.#tags.row(text);
    if (tag === NO_ID) return;
    const { columns } = this;
    if (columns.tag.length === 0) columns.tag = untagged(columns.action.length);
    columns.tag[row] = tag;
  }

  #pool(fields: Fields, pair: number): number {
    return this.#pools.row(fields.low[KEY.stream]!, fields.high[KEY.stream]!, pair);
  }

  #action(fields: Fields): number {
    return fields.tags[KEY.action] === TAG.text ? this.#codes.of(fields.low[KEY.action]!) : OTHER;
  }
}

const OTHER = ACTION.other;
