/** [kind, type, of, holder, count, grown, seconds, bytes] */
export type ObjectRow = readonly [string, string, string, string, number, number, number, number];

/** What Python's own objects grew by: containers with more and more in them, and types. */
export interface AgentObjects {
  readonly type: 'objects';
  readonly time: number;
  readonly rows: readonly ObjectRow[];
  /** Rows that could not be read, if there are any. */
  readonly refused?: number;
}

const MAX_OBJECTS = 100;
const MAX_NAME = 500;

export function parseObjects(fields: Record<string, unknown>): AgentObjects | { wrong: string } {
  const { time, rows: all } = fields;
  if (!isNumber(time)) return { wrong: 'objects without time' };
  if (!Array.isArray(all)) return { wrong: 'objects without rows' };
  const rows = all.slice(0, MAX_OBJECTS).filter(isObjectRow);
  const refused = all.length - rows.length;
  return { type: 'objects', time, rows, ...(refused > 0 && { refused }) };
}

function isObjectRow(row: unknown): row is ObjectRow {
  if (!Array.isArray(row) || row.length !== 8) return false;
  const [texts, numbers] = [row.slice(0, 4), row.slice(4)];
  return (
    texts.every((one) => typeof one === 'string' && one.length <= MAX_NAME) &&
    numbers.every((one) => isNumber(one) && one >= 0)
  );
}

const isNumber = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value);
