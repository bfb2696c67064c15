import { execFileSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';

const PROGRAM = `
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { collector } from '${pathToFileURL('src/sdk/v8/collector.ts')}';
if (process.argv.includes('asks')) setFlagsFromString('--expose-gc');
const collect = collector();
let freed = false;
globalThis.registry = new FinalizationRegistry(() => { freed = true; });
(() => registry.register({}, 0))();
setTimeout(() => {
  collect();
  setTimeout(() => console.log(JSON.stringify({ freed, sees: runInNewContext('typeof gc') })), 10);
}, 10);
`;

it.each([
  ['a program that has not asked for it', [], 'undefined'],
  ['one that asks for it while it runs', ['asks'], 'function'],
])("collects V8's garbage, and leaves %s as it was", (_, more, sees) => {
  const words = ['--import', 'tsx', '--input-type=module', '-e', PROGRAM, ...more];
  const said = execFileSync(process.execPath, words, { encoding: 'utf8' });
  expect(JSON.parse(said)).toEqual({ freed: true, sees });
});
