import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ruleOf, TAG_RULES } from '../../src/analyses/tags/rules.ts';
import { withUserRules } from '../../src/analyses/tags/rules-file.ts';
import { UserError } from '../../src/base/errors.ts';
import { run as analyze } from '../../src/cli/commands/analyze.ts';
import { run as plot } from '../../src/cli/commands/plot.ts';
import { tempFolder } from '../support/files.ts';
import { highwater } from '../support/recorder.ts';
import { capturedOutput } from './captured-output.ts';

const FIXTURES = resolve('test/fixtures');
const SOCKEYE = join(FIXTURES, 'formats/mxnet-log/0.12/sockeye.log');
const LENET = join(FIXTURES, 'formats/mxnet-log/tfjs-4.22/lenet-interrupted.log');
const PROFILE = join(FIXTURES, 'formats/mxnet-csv/1.x/gpu_memory_profile-pid_4242.csv');

/** A folder with a mixed lot of files, as people have them. */
function workplace(): string {
  const cwd = tempFolder();
  mkdirSync(join(cwd, 'logs/deeper'), { recursive: true });
  copyFileSync(SOCKEYE, join(cwd, 'logs/sockeye.log'));
  copyFileSync(LENET, join(cwd, 'logs/log_file'));
  copyFileSync(PROFILE, join(cwd, 'logs/profile.csv'));
  writeFileSync(join(cwd, 'logs/notes.txt'), 'hello\n');
  writeFileSync(join(cwd, 'logs/empty'), '');
  writeFileSync(
    join(cwd, 'logs/core'),
    Uint8Array.from({ length: 9000 }, (_, i) => i * 7919),
  );
  symlinkSync('nowhere', join(cwd, 'logs/dangling'));
  return cwd;
}

describe('rules', () => {
  it.each([
    ['in_arg:source_target_embed_weight', 'in_arg'],
    ['cpu_in_arg:x', 'in_arg'],
    ['rsp_arg_grad:x', 'arg_grad'],
    ['_optimizer_weight_update_embed', 'optimizer'],
    ['workspace,linalg_impl', 'workspace'],
    ['mask_workspace', 'workspace'],
    ['forward_features:_zeros1', 'zeros'],
    ['forward_features:_mul0', ':_mul'],
    ['forward_features:stage1_unit1_sc', '_sc'],
    ['source', '(source)'],
    ['target', '(target)'],
    ['target_label', '(target_label)'],
    ['data', '(data)'],
    ['database', 'unknown'],
    ['untagged', 'untagged'],
    ['warning!,ctx_source_unclear', 'warning!,ctx_source_unclear'],
    ['resource:temp_space (sample_op.h +365)', 'workspace'],
    ['backward_features:conv1@conv2dbackpropinput', 'backward_features'],
    ['forward_features:ip1@elu', 'operation'],
    ['', 'unknown'],
  ])('%s is %s', (tag, category) => {
    expect(ruleOf(tag, TAG_RULES).category).toBe(category);
  });

  it('of a user come first, in their order, and join groups that are there', () => {
    const rules = withUserRules(
      'r.json',
      '[{"match":"embed","category":"mine"},{"match":"embed_w","category":"x"},{"match":"moe","category":"in_arg"}]',
    );
    expect(ruleOf('in_arg:embed_w', rules)).toMatchObject({ category: 'mine', group: 'forward' });
    expect(ruleOf('moe', rules)).toMatchObject({ category: 'in_arg', group: 'weights' });
    expect(ruleOf('in_arg:x', rules).category).toBe('in_arg');
  });

  it.each([
    ['nonsense', /is no JSON/],
    ['{}', /is no list of rules/],
    ['[1]', /rule 1 of r\.json is no object/],
    ['[{"match":"a","category":"b"},{"category":"b"}]', /rule 2 of r\.json has no text as 'match'/],
    ['[{"match":"a"}]', /no text as 'category'/],
    ['[{"match":"","category":"b"}]', /no text as 'match'/],
    ['[{"match":"a","category":"b","group":"c"}]', /'group' that is none of weights, forward/],
    ['[{"match":"a","category":"b","colour":"c"}]', /key 'colour'/],
  ])('%s is refused in one line', (text, message) => {
    expect(() => withUserRules('r.json', text)).toThrow(message);
    expect(() => withUserRules('r.json', text)).toThrow(UserError);
  });
});

describe('analyze', () => {
  it('writes the golden file, to the byte', async () => {
    const cwd = workplace();
    await capturedOutput(cwd, () => analyze(['logs']));
    const file = (path: string) => readFileSync(path, 'utf8');
    expect(file(join(cwd, 'memory_analysis/sockeye.log_ANALYSIS'))).toBe(
      file(join(FIXTURES, 'tags/sockeye.log_ANALYSIS')),
    );
  });

  it('takes every log of a folder and says what it passed over', async () => {
    const cwd = workplace();
    const { code, out, err } = await capturedOutput(cwd, () =>
      analyze(['logs', 'logs/sockeye.log']),
    );
    expect(code).toBe(0);
    expect(readdirSync(join(cwd, 'memory_analysis')).sort()).toEqual([
      'log_file_ANALYSIS',
      'profile.csv_ANALYSIS',
      'sockeye.log_ANALYSIS',
    ]);
    for (const name of ['core', 'empty', 'notes.txt']) {
      expect(err).toContain(`logs/${name} passed over: no allocation lines`);
    }
    expect(err).toMatch(/logs\/dangling passed over: there is no file/);
    expect(out).toMatch(/^ {2}Workspace +=\s+12\.063 MiB +51\.1 % +Count:# 2$/m);
    expect(out).toMatch(/^ {2}Total Allocations +=\s+23\.603 MiB$/m);
    expect(out).toMatch(/^ {2}Weights \(in_arg \+ arg_grad\) +=\s+10\.003 MiB$/m);
    expect(out).toMatch(/^ {2}Annotations +=\s+18$/m);
    expect(out).toMatch(/2 tags that no rule knows[\s\S]*my new layer 7[\s\S]*--rules rules\.json/);
    expect(out).toMatch(/Most live at once = 11\.0\d\d MiB: Optimizer/);
  });

  it('counts what no rule knows, until a rule does', async () => {
    const cwd = workplace();
    writeFileSync(join(cwd, 'r.json'), '[{"match": "my new layer", "category": "mine"}]');
    const args = ['logs/sockeye.log', '--json', '-o', 'a'];
    const log = async (more: string[]) =>
      JSON.parse((await capturedOutput(cwd, () => analyze([...args, ...more]))).out).logs[0];
    const before = await log([]);
    expect(before).toMatchObject({ path: 'logs/sockeye.log', out: 'a/sockeye.log_ANALYSIS' });
    expect(before.totals).toEqual({
      bytes: 24_749_692,
      count: 18,
      weightsBytes: 10_488_832,
      forwardBytes: 24_749_692 - 10_488_832 - 4996 + 300,
      unknownBytes: 4696,
    });
    expect(before.unmatched.map((one: { tag: string }) => one.tag)).toEqual([
      'forward_features:my new layer 7',
      '',
    ]);
    const after = await log(['--rules', 'r.json']);
    expect(after.unmatched.map((one: { tag: string }) => one.tag)).toEqual(['']);
    expect(after.totals.bytes).toBe(before.totals.bytes);
    const saved = JSON.parse(readFileSync(join(cwd, 'a/sockeye.log_ANALYSIS'), 'utf8'));
    expect(saved.mine).toEqual([4096, ['(forward_features:my new layer 7).\n']]);
  });

  it('replaces an analysis, and nothing else', async () => {
    const cwd = workplace();
    await capturedOutput(cwd, () => analyze(['logs']));
    expect((await capturedOutput(cwd, () => analyze(['logs']))).code).toBe(0);
    writeFileSync(join(cwd, 'memory_analysis/log_file_ANALYSIS'), '{"notes": "mine"}');
    const refused = await capturedOutput(cwd, () => analyze(['logs']));
    expect(refused.err).toMatch(/log_file_ANALYSIS exists already and is no analysis/);
    expect(readFileSync(join(cwd, 'memory_analysis/log_file_ANALYSIS'), 'utf8')).toContain('mine');
  });

  it('tells logs of one name apart by their folders', async () => {
    const cwd = tempFolder();
    for (const run of ['run1', 'run2']) {
      mkdirSync(join(cwd, run));
      copyFileSync(SOCKEYE, join(cwd, run, 'stderr.log'));
    }
    await capturedOutput(cwd, () => analyze(['run1/stderr.log', 'run2']));
    expect(readdirSync(join(cwd, 'memory_analysis')).sort()).toEqual([
      'run1-stderr.log_ANALYSIS',
      'run2-stderr.log_ANALYSIS',
    ]);
  });

  it.each<[string[], RegExp]>([
    [['nothing-here'], /there is no file or folder nothing-here/],
    [['logs/deeper'], /there is no log with tagged allocation lines in logs\/deeper/],
    [['logs/notes.txt'], /notes\.txt has no line that tells of an allocation/],
    [['logs/core'], /core has no line that tells of an allocation/],
    [['logs/empty'], /empty has no line that tells of an allocation/],
    [['logs', '--rules', 'none.json'], /cannot read none\.json/],
    [['logs', '-o', 'logs/notes.txt'], /logs\/notes\.txt/],
    [[], /missing required argument/],
  ])('%j is refused with one line', async (args, message) => {
    const cwd = workplace();
    const { code, err } = await capturedOutput(cwd, () => analyze(args));
    expect(code).toBe(2);
    expect(err.trimEnd().split('\n').at(-1)).toMatch(message);
    expect(existsSync(join(cwd, 'memory_analysis'))).toBe(false);
  });

  it('passes over a file that it may not read', async () => {
    const cwd = workplace();
    chmodSync(cwd, 0o777);
    chmodSync(join(cwd, 'logs/sockeye.log'), 0);
    const { code, stderr } = await highwater(['analyze', 'logs'], { cwd, ordinary: true });
    expect(stderr).toMatch(/sockeye\.log passed over: cannot read .*permission denied/);
    expect(code).toBe(0);
  });
});

describe('plot of analyses', () => {
  it('draws one picture each, or one of all', async () => {
    const cwd = workplace();
    await capturedOutput(cwd, () => analyze(['logs']));
    const each = await capturedOutput(cwd, () =>
      plot(['memory_analysis', '-t', 'Three & more', '-f', '1']),
    );
    expect(each.out.trim().split('\n')).toEqual(
      ['log_file', 'profile.csv', 'sockeye.log'].map(
        (name) => `memory_analysis_graphs/${name}_ANALYSIS_mem_graph.svg`,
      ),
    );
    const svg = readFileSync(
      join(cwd, 'memory_analysis_graphs/sockeye.log_ANALYSIS_mem_graph.svg'),
      'utf8',
    );
    for (const words of ['Memory Profile', 'Three &#38; more', 'Model: sockeye.log', '51.1 %']) {
      expect(svg).toContain(`>${words}<`);
    }
    expect(svg).toContain('Total Allocation: 23.60 MiB');
    expect(svg).toMatch(/Left out, below 1 % each, .* MiB together: [\s\S]*Zeros\./);
    expect(svg).not.toContain('>Zeros<');
    const all = await capturedOutput(cwd, () => plot(['memory_analysis', '-s', 'all']));
    expect(all.out).toBe('memory_analysis_graphs/memory_profile_graphs.svg\n');
  });

  it('draws a single analysis as all of them too, and into a picture of any name', async () => {
    const cwd = workplace();
    await capturedOutput(cwd, () => analyze(['logs/sockeye.log']));
    const file = 'memory_analysis/sockeye.log_ANALYSIS';
    expect((await capturedOutput(cwd, () => plot([file, '-s', 'all', '-o', 'a.png']))).out).toBe(
      'a.png\n',
    );
    expect((await capturedOutput(cwd, () => plot([file, '-o', 'b.svg']))).out).toBe('b.svg\n');
    expect(readFileSync(join(cwd, 'b.svg'), 'utf8')).toContain('Weight gradients');
    expect(
      (await capturedOutput(cwd, () => plot([file, '-o', 'there', '--format', 'png']))).out,
    ).toBe('there/sockeye.log_ANALYSIS_mem_graph.png\n');
  });

  it('draws the original’s own files, and an empty one', async () => {
    const cwd = tempFolder();
    mkdirSync(join(cwd, 'x'));
    writeFileSync(
      join(cwd, 'x/conv_ANALYSIS'),
      '{"zeros": [36.0, ["(forward_features:_zeros1).\\n"]]}',
    );
    writeFileSync(join(cwd, 'x/none_ANALYSIS'), '{}');
    const { out } = await capturedOutput(cwd, () => plot(['x']));
    const [conv] = out.split('\n');
    expect(readFileSync(join(cwd, conv!), 'utf8')).toMatch(/Model: CONVOLUTIONAL<[\s\S]*100\.0 %/);
  });

  it.each<[string[], RegExp]>([
    [['empty'], /there is no analysis in empty \(make some: highwater analyze/],
    [['memory_analysis'], /there is no analysis in memory_analysis/],
    [['bad_ANALYSIS'], /bad_ANALYSIS is no analysis/],
    [['good', '-f', '101'], /expected a percentage from 0 to 100/],
    [['good', '-s', 'some'], /Allowed choices are all/],
    [['good', '-o', 'x.png'], /2 analyses do not go into one picture like that/],
  ])('%j is refused with one line', async (args, message) => {
    const cwd = tempFolder();
    for (const folder of ['empty', 'memory_analysis', 'good']) mkdirSync(join(cwd, folder));
    writeFileSync(join(cwd, 'memory_analysis/notes'), '');
    writeFileSync(join(cwd, 'bad_ANALYSIS'), '[1]');
    for (const name of ['a', 'b']) writeFileSync(join(cwd, `good/${name}_ANALYSIS`), '{}');
    const { code, err } = await capturedOutput(cwd, () => plot(args));
    expect(code).toBe(2);
    expect(err).toMatch(message);
  });
});
