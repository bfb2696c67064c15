import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FOLDER, schemaFiles } from '../../scripts/json-schemas.ts';
import { VERBS } from '../../src/cli/verbs.ts';
import { type Root, schemaErrors } from '../support/json-schema.ts';

describe('docs/schemas', () => {
  it('is what the types say: npx tsx scripts/json-schemas.ts', () => {
    const files = schemaFiles();
    expect(readdirSync(FOLDER).sort()).toEqual([...files.keys()].sort());
    for (const [name, text] of files) {
      expect(readFileSync(join(FOLDER, name), 'utf8'), name).toBe(text);
    }
  });

  it('begins every output with its type and version, and the page lists them all', () => {
    const page = readFileSync('docs/json-outputs.md', 'utf8');
    for (const [name, text] of schemaFiles()) {
      const root = JSON.parse(text) as Root;
      for (const one of root.anyOf ?? [root]) {
        const { properties, required } = one.$ref ? root.$defs![basename(one.$ref)]! : one;
        expect(required, name).toEqual(expect.arrayContaining(['type', 'schemaVersion']));
        expect(page).toContain(`(schemas/${name}) | \`${properties?.type?.const}\` |`);
      }
    }
  });

  it('has a file for each verb with --json', async () => {
    const names: string[] = [];
    for (const { name, load } of VERBS) {
      const { options } = (await load()).command();
      if (options.some(({ long }) => long === '--json')) names.push(`${name}.json`);
    }
    expect(names.length).toBeGreaterThan(5);
    expect(readdirSync(FOLDER)).toEqual(expect.arrayContaining(names));
  });
});

describe('the check of an output', () => {
  const root = {
    type: 'object',
    properties: {
      size: { type: ['number', 'null'] },
      kind: { enum: ['a', 'b'] },
      rows: { type: 'array', items: { $ref: '#/$defs/Row' } },
      by: { type: 'object', additionalProperties: { type: 'number' } },
    },
    required: ['size', 'rows'],
    $defs: {
      Row: {
        anyOf: [
          { type: 'object', properties: { ok: { const: true } }, required: ['ok'] },
          {
            type: 'object',
            properties: { ok: { const: false }, why: { type: 'string' } },
            required: ['ok', 'why'],
          },
        ],
      },
    },
  } as const;
  it.each([
    [{ size: 1, rows: [{ ok: true }, { ok: false, why: 'x' }], by: { any: 1 } }, []],
    [{ size: null, rows: [], kind: 'b' }, []],
    [{ rows: [] }, ['$.size is absent']],
    [{ size: '1', rows: [] }, ['$.size: "1" is no number or null']],
    [{ size: 1, rows: [], kind: 'c' }, ['$.kind: "c" is none of ["a","b"]']],
    [{ size: 1, rows: [], more: 1 }, ['$.more is not in the schema']],
    [{ size: 1, rows: [], by: { any: 'x' } }, ['$.by.any: "x" is no number']],
    [{ size: 1, rows: [{ ok: false }] }, ['$.rows[0].ok: false instead of true']],
    [{ size: 1, rows: 'none' }, ['$.rows: "none" is no array']],
  ])('%j', (value, wrong) => {
    expect(schemaErrors(root, value)).toEqual(wrong);
  });
});
