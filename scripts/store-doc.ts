import { readFileSync, writeFileSync } from 'node:fs';
import { allTables } from '../src/store/clickhouse/tables.ts';
import { isNullable, STORE_TABLE_NAMES, type StoreTable, storeTable } from '../src/store/schema.ts';

/**
 * Writes the tables of a store into docs/fleet.md from src/store/schema.ts, between the two marks, and as ClickHouse's
 * statements into a file of their own. `npx tsx scripts/store-doc.ts`; a test checks that it was done.
 */
const DOCUMENT = 'docs/fleet.md';
export const STATEMENTS = 'docs/questions/clickhouse-tables.sql';
const BEGIN = '<!-- store: written by scripts/store-doc.ts -->';
const END = '<!-- end of store -->';

/** The document with its tables brought up to date. */
export function withStoreTables(document: string): string {
  const [before, rest] = document.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`${DOCUMENT} lost its marks`);
  const tables = STORE_TABLE_NAMES.toReversed().map((name) => tableText(storeTable(name)));
  return `${before}${BEGIN}\n\n${tables.join('\n\n')}\n\n${END}${after}`;
}

export const tableStatements = (): string =>
  `-- The tables as \`highwater push\` makes them, to be made by hand.\n\n${allTables('highwater')}`;

function tableText(table: StoreTable): string {
  const { name, meaning, key, columns } = table;
  const rows = columns
    .filter((column) => name === 'runs' || (column.name !== 'run' && column.name !== 'started'))
    .map((column) => {
      const type = `${column.type}${isNullable(table, column) ? '' : ', never null'}`;
      return `| \`${column.name}\` | ${type} | ${column.meaning} |`;
    });
  const found = ['run', ...key].map((one) => `\`${one}\``).join(', ');
  return [
    `**${name}**: ${meaning}. A row for each ${found}.`,
    '',
    '| column | type | what it is |',
    '|---|---|---|',
    ...rows,
  ].join('\n');
}

if (process.argv[1]?.endsWith('store-doc.ts')) {
  writeFileSync(DOCUMENT, withStoreTables(readFileSync(DOCUMENT, 'utf8')));
  writeFileSync(STATEMENTS, tableStatements());
}
