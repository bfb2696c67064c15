import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { JSONSchema7 as Schema } from 'json-schema';
import { beforeAll, describe, expect, it } from 'vitest';
import { FOLDER, schemaFiles } from '../../scripts/json-schemas.ts';
import { VERBS } from '../../src/cli/verbs.ts';
import { schemaErrors } from '../support/json-schema.ts';

describe('docs/schemas', () => {
  let files = new Map<string, string>();
  beforeAll(() => {
    files = schemaFiles();
  }, 240_000);

  it('is what the types say: npx tsx scripts/json-schemas.ts', () => {
    expect(readdirSync(FOLDER).sort()).toEqual([...files.keys()].sort());
    for (const [name, text] of files) {
      expect(readFileSync(join(FOLDER, name), 'utf8'), name).toBe(text);
    }
  });

  it('says of every part what it may be', () => {
    for (const [name, text] of files) {
      JSON.parse(text, (key, value) => {
        const isEmpty = typeof value === 'object' && value !== null && !Object.keys(value)[0];
        const isPart = !['definitions', 'required'].includes(key);
        if (isEmpty && isPart) expect.fail(`${name}: ${key} may be anything`);
        return value;
      });
    }
  });

  it('begins every output with its type and version, and the page lists them all', () => {
    const page = readFileSync('docs/json-outputs.md', 'utf8');
    for (const [name, text] of files) {
      const root = JSON.parse(text) as Schema;
      for (const one of (root.anyOf ?? [root]) as Schema[]) {
        const schema = one.$ref ? root.definitions![basename(one.$ref)]! : one;
        const { properties, required } = schema as Schema;
        expect(required, name).toEqual(expect.arrayContaining(['type', 'schemaVersion']));
        // The type of the output that it is the verdict of.
        if (name === 'brief.json') continue;
        const type = (properties!.type as Schema).const;
        expect(page).toContain(`(schemas/${name}) | \`${type}\` |`);
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
    expect([...files.keys()]).toEqual(expect.arrayContaining(names));
  });
});

describe('the check of an output', () => {
  const schema: Schema = {
    type: 'object',
    properties: {
      size: { type: ['number', 'null'] },
      kind: { enum: ['a', 'b'] },
      rows: { type: 'array', items: { $ref: '#/definitions/Row' } },
      by: { type: 'object', additionalProperties: { type: 'number' } },
    },
    required: ['size', 'rows'],
    definitions: {
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
  };

  it.each([
    { size: 1, rows: [{ ok: true }, { ok: false, why: 'x' }], by: { any: 1 } },
    { size: null, rows: [], kind: 'b' },
  ])('takes %j', (value) => {
    expect(schemaErrors(schema, value)).toEqual([]);
  });

  it.each([
    [{ rows: [] }, "/size: must have required property 'size'"],
    [{ size: '1', rows: [] }, '/size: must be number,null'],
    [{ size: 1, rows: [], kind: 'c' }, '/kind: must be equal to one of the allowed values'],
    [{ size: 1, rows: [], more: 1 }, '/more: must NOT have additional properties'],
    [{ size: 1, rows: [], by: { any: 'x' } }, '/by/any: must be number'],
    [{ size: 1, rows: [{ ok: false }] }, "/rows/0/why: must have required property 'why'"],
    [{ size: 1, rows: [{ ok: true, why: 'x' }] }, '/rows/0: must match a schema in anyOf'],
    [{ size: 1, rows: 'none' }, '/rows: must be array'],
  ])('refuses %j', (value, wrong) => {
    expect(schemaErrors(schema, value)).toContain(wrong);
  });
});

describe('a schema of docs/schemas', () => {
  const schema = JSON.parse(readFileSync(join(FOLDER, 'check.json'), 'utf8')) as Schema;
  const [peak, run] = ['peak', { id: 'r', name: 'r', startedAt: '2026-01-01T00:00:00.000Z' }];
  const finding = { kind: peak, limit: 'tree.pss<=1', status: 'pass', series: 'tree.pss' };
  const sizes = { measuredBytes: 1, limitBytes: null, evidence: 'held', parts: [] };
  const whole = {
    type: 'check',
    schemaVersion: 1,
    status: 'pass',
    runs: [run],
    baselineRuns: 0,
    findings: [{ ...finding, ...sizes }],
    notes: [],
    verdict: {
      cause: { code: 'within-limits', sentence: 'Within 1 limit: {runs}' },
      certainty: 'certain',
      causes: [],
      evidence: [{ statement: 'kept', value: 1, unit: 'bytes', at: '/findings/0/measuredBytes' }],
      against: [],
      fixes: [
        {
          ...{ id: 'x', what: 'less', bytes: { low: 0, high: 1 }, enough: null },
          ...{ outcome: 'unknown', margin: null },
        },
      ],
      next: { argv: ['highwater', 'report'], why: 'more' },
      untrusted: { note: 'n', texts: { runs: 'r' } },
    },
  };

  it('takes an output as it is', () => {
    expect(schemaErrors(schema, whole)).toEqual([]);
  });

  it.each(Object.keys(whole))('refuses one without %s', (key) => {
    expect(schemaErrors(schema, { ...whole, [key]: undefined })).not.toEqual([]);
  });

  it.each([
    ['another type', { type: 'report' }],
    ['another version', { schemaVersion: 2 }],
    ['an unknown status', { status: 'perhaps' }],
    ['a verdict of an unknown certainty', { verdict: { ...whole.verdict, certainty: 'sure' } }],
    [
      'a verdict of an unknown cause',
      { verdict: { ...whole.verdict, cause: { code: 'aliens', sentence: '' } } },
    ],
    ['a run without a name', { runs: [{ id: 'r', startedAt: '' }] }],
    ['a finding with one key more', { findings: [{ ...finding, ...sizes, more: 1 }] }],
    [
      'a finding with a text for a number',
      { findings: [{ ...finding, ...sizes, limitBytes: '1' }] },
    ],
    ['a key that no type has', { more: 1 }],
  ])('refuses %s', (_what, change) => {
    expect(schemaErrors(schema, { ...whole, ...change })).not.toEqual([]);
  });
});
