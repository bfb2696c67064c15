import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JSONSchema7 as Schema } from 'json-schema';
import {
  createFormatter,
  createParser,
  createProgram,
  DEFAULT_CONFIG,
  DefinitionType,
  SchemaGenerator,
} from 'ts-json-schema-generator';

/**
 * Writes docs/schemas: a JSON Schema of each `--json` output, from the types in src/cli/output/json-outputs.ts.
 * `npx tsx scripts/json-schemas.ts`; a test checks that it was done.
 */
export const FOLDER = 'docs/schemas';
const OUTPUTS = 'src/cli/output/json-outputs.ts';

/** The text of each file by its name. */
export function schemaFiles(): Map<string, string> {
  const schemas = generator();
  const exported = readFileSync(OUTPUTS, 'utf8').matchAll(/^export (?:interface|type) (\w+)/gm);
  return new Map(
    [...exported].map(([, name]) => {
      const schema = JSON.parse(JSON.stringify(schemas.createSchema(name!)), published);
      return [fileName(name!), `${JSON.stringify(schema, null, 2)}\n`];
    }),
  );
}

/** `PeakTableOutput` is told of in peak-table.json. */
function fileName(name: string): string {
  const words = name.replace(/Output$/, '').match(/[A-Z][a-z0-9]*/g)!;
  return `${words.join('-').toLowerCase()}.json`;
}

function generator(): SchemaGenerator {
  const config = {
    ...DEFAULT_CONFIG,
    path: OUTPUTS,
    tsconfig: 'tsconfig.json',
    skipTypeCheck: true, // `npm run check` does
    topRef: false,
    sortProps: false,
    encodeRefs: false,
    additionalProperties: false, // else what a type inherits could be anything
  };
  const program = createProgram(config);
  const formatter = createFormatter(config, (formatters) =>
    formatters.addTypeFormatter({
      supportsType: (type) => type instanceof DefinitionType && type.getName() === 'NumberOrNaN',
      getDefinition: () => ({ type: ['number', 'null'] }),
      getChildren: () => [],
    }),
  );
  return new SchemaGenerator(program, createParser(program, config), formatter, config);
}

/**
 * Each part as programs should read it: what is not there may also be written as null (src/views/json.ts),
 * and keys that a reader does not know are passed over (docs/json-outputs.md).
 */
function published(_key: string, value: unknown): unknown {
  if (!isObjectSchema(value)) return value;
  const { properties, required = [], additionalProperties, ...rest } = value;
  const entries = Object.entries(properties).map(([name, property]) => [
    name,
    required.includes(name) ? property : orNull(property),
  ]);
  return {
    ...rest,
    properties: Object.fromEntries(entries),
    required,
    ...(additionalProperties !== false && { additionalProperties }),
  };
}

function isObjectSchema(value: unknown): value is Schema & { properties: Record<string, Schema> } {
  const schema = value as Schema | null;
  return schema?.type === 'object' && schema.properties !== undefined;
}

function orNull({ description, ...schema }: Schema): Schema {
  const types = [schema.type ?? []].flat();
  if (types.includes('null')) return { ...schema, description };
  const isPlain = types.length > 0 && schema.const === undefined && schema.enum === undefined;
  return isPlain
    ? { ...schema, type: [...types, 'null'], description }
    : { anyOf: [...(schema.anyOf ?? [schema]), { type: 'null' }], description };
}

if (process.argv[1]?.endsWith('json-schemas.ts')) {
  const files = schemaFiles();
  mkdirSync(FOLDER, { recursive: true });
  for (const old of readdirSync(FOLDER)) if (!files.has(old)) rmSync(join(FOLDER, old));
  for (const [name, text] of files) writeFileSync(join(FOLDER, name), text);
  console.log(`${files.size} schemas in ${FOLDER}`);
}
