import { readFileSync, writeFileSync } from 'node:fs';
import { PLAIN_TABLES } from '../src/model/plain.ts';
import { type ColumnSpec, type TableSpec, tableSpec } from '../src/model/schema.ts';

/**
 * Writes the tables into docs/recording-format.md from src/model/schema.ts, between the two marks.
 * `npx tsx scripts/format-doc.ts`; a test checks that it was done.
 */
const DOCUMENT = 'docs/recording-format.md';
const BEGIN = '<!-- tables: written by scripts/format-doc.ts -->';
const END = '<!-- end of tables -->';

const ARROW_TYPES = { f64: 'float64', u32: 'uint32', u8: 'uint8', u64: 'uint64', utf8: 'utf8' };

function type(column: ColumnSpec): string {
  if (column.unit === 'string') return 'uint32, text id';
  return column.type === 'f64' ? 'float64, nullable' : ARROW_TYPES[column.type];
}

function unit(column: ColumnSpec): string {
  return column.unit === 'string' ? '' : column.unit;
}

function section(spec: TableSpec): string {
  const rows = spec.columns.map(
    (column) => `| ${column.name} | ${type(column)} | ${unit(column)} | ${column.meaning} |`,
  );
  return [
    `### ${spec.name}`,
    '',
    `${spec.meaning[0]!.toUpperCase()}${spec.meaning.slice(1)}.`,
    '',
    '| column | type | unit | meaning |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

/** The document with its tables brought up to date. */
export function withTables(document: string): string {
  const [before, rest] = document.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`${DOCUMENT} lost its marks`);
  const tables = [
    ...PLAIN_TABLES.map((name) => tableSpec(name, ['MemTotal', '…'])),
    tableSpec('strings'),
  ];
  return `${before}${BEGIN}\n\n${tables.map(section).join('\n')}\n${END}${after}`;
}

if (process.argv[1]?.endsWith('format-doc.ts')) {
  writeFileSync(DOCUMENT, withTables(readFileSync(DOCUMENT, 'utf8')));
}
