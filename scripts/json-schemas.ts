import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SchemaWriter } from './json-schemas/schema.ts';
import { SourceFile } from './json-schemas/source-file.ts';

/**
 * Writes docs/schemas: a JSON Schema of each `--json` output, from the types in src/cli/output/json-outputs.ts.
 * `npx tsx scripts/json-schemas.ts`; a test checks that it was done.
 */
export const FOLDER = 'docs/schemas';
const OUTPUTS = 'src/cli/output/json-outputs.ts';

/** The text of each file by its name. */
export function schemaFiles(): Map<string, string> {
  const file = SourceFile.at(OUTPUTS);
  return new Map(file.exported().map((name) => [fileName(name), schemaText(file, name)]));
}

/** `PeakTableOutput` is told of in peak-table.json. */
function fileName(name: string): string {
  const words = name.replace(/Output$/, '').match(/[A-Z][a-z0-9]*/g)!;
  return `${words.join('-').toLowerCase()}.json`;
}

function schemaText(file: SourceFile, name: string): string {
  const writer = new SchemaWriter();
  const declared = file.declared(name);
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: declared.doc,
    ...writer.of(declared),
    ...(Object.keys(writer.defs).length > 0 && { $defs: writer.defs }),
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

if (process.argv[1]?.endsWith('json-schemas.ts')) {
  const files = schemaFiles();
  mkdirSync(FOLDER, { recursive: true });
  for (const old of readdirSync(FOLDER)) if (!files.has(old)) rmSync(join(FOLDER, old));
  for (const [name, text] of files) writeFileSync(join(FOLDER, name), text);
  console.log(`${files.size} schemas in ${FOLDER}`);
}
