import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { tags } from '../../analyses/tags/index.ts';
import { TAG_RULES } from '../../analyses/tags/rules.ts';
import { withUserRules } from '../../analyses/tags/rules-file.ts';
import { ANALYSIS, isAnalysis } from '../../analyses/tags/saved.ts';
import { tagsVerdict } from '../../analyses/verdict/others.ts';
import { UserError } from '../../base/errors.ts';
import { count, printable } from '../../base/text.ts';
import { orUserError } from '../../model/disk/files.ts';
import { logPaths, openLog, whyNot } from '../../open/logs.ts';
import { type AnalyzedLog, analysisFile, tagsResult, tagsText } from '../../views/tags/tags.ts';
import { addJsonFlags, answerJson, type JsonFlags } from '../output/json.ts';
import { writeOutFile } from '../output/out-file.ts';
import { show, tell } from '../output/terminal.ts';
import { newCommand, runCommand } from '../verb.ts';

const EXAMPLE = `highwater analyze logs/
highwater analyze train.log -o memory_analysis --rules rules.json
highwater plot memory_analysis`;

interface Options extends JsonFlags {
  out: string;
  rules?: string;
}

/** Tagged allocation logs → one `<log>_ANALYSIS` each, and their categories. */
export function command(): Command {
  return addJsonFlags(
    newCommand('analyze', 'sum up logs with tagged allocation lines', EXAMPLE)
      .argument('<logs...>', 'logs, folders of logs, or profiles of MXNet 1.x')
      .option('-o, --out <folder>', 'where the analyses go', 'memory_analysis')
      .option('--rules <file>', 'rules of your own, JSON, which come before ours'),
  );
}

export function run(argv: readonly string[]): Promise<number> {
  return runCommand(command(), argv, analyze);
}

async function analyze(paths: string[], options: Options): Promise<void> {
  const { rules: file, out: folder } = options;
  const rules =
    file === undefined
      ? TAG_RULES
      : withUserRules(file, String(orUserError(file, () => readFileSync(file))));
  const found: { path: string; analysis: AnalyzedLog['analysis'] }[] = [];
  const ignored: { path: string; reason: string }[] = [];
  for (const { path, named } of logPaths(paths)) {
    try {
      found.push({ path, analysis: tags(await openLog(path), rules) });
    } catch (error) {
      if (named || !(error instanceof UserError)) throw error;
      ignored.push({ path, reason: whyNot(error) });
    }
  }
  noteIgnored(ignored);
  if (found.length === 0) {
    throw new UserError(`there is no log with tagged allocation lines in ${paths.join(', ')}`, {
      hint: "lines as '[mem] Allocate 4096 bytes GPU memory (in_arg:weight).'; see docs/analyze.md",
    });
  }
  const names = analysisNames(found.map(({ path }) => path));
  const logs = found.map((log, i) => ({ ...log, out: join(folder, names[i]!) }));
  for (const { out } of logs) refuseOthers(out);
  orUserError(folder, () => mkdirSync(folder, { recursive: true }), 'write');
  for (const { out, analysis } of logs) {
    writeOutFile(out, analysisFile(analysis), true);
    for (const warning of analysis.warnings) tell(`${printable(warning)}\n`);
  }
  if (options.json) {
    const result = tagsResult(logs, ignored);
    show(answerJson({ ...result, verdict: tagsVerdict(result) }, options));
  } else {
    show(logs.map(({ analysis }) => tagsText(analysis)).join('\n'));
    tell(`\n${count(logs.length, 'analysis', 'analyses')} in ${folder}; `);
    tell(`to draw them: highwater plot ${folder}\n`);
  }
}

function noteIgnored(ignored: readonly { path: string; reason: string }[]): void {
  for (const { path, reason } of ignored.slice(0, 10)) {
    tell(`${printable(`${path} passed over: ${reason}`)}\n`);
  }
  if (ignored.length > 10) tell(`and ${ignored.length - 10} more passed over\n`);
}

/** `<log>_ANALYSIS` for each log; logs of one name are distinguished by their folders. */
function analysisNames(paths: readonly string[]): string[] {
  const plain = paths.map((path) => basename(resolve(path)));
  const names = paths.map((path, i) => {
    const alone = plain.filter((name) => name === plain[i]).length === 1;
    return alone ? plain[i]! : `${basename(dirname(resolve(path)))}-${plain[i]}`;
  });
  const twice = names.findIndex((name, i) => names.indexOf(name) !== i);
  if (twice >= 0) {
    throw new UserError(`two logs are called ${names[twice]}`, {
      hint: 'analyse them one at a time, each with an -o of its own',
    });
  }
  return names.map((name) => `${name}${ANALYSIS}`);
}

/** An analysis can be made anew at any time, so it may be replaced; anything else may not. */
function refuseOthers(path: string): void {
  const stat = orUserError(path, () => statSync(path, { throwIfNoEntry: false }), 'write');
  if (!stat) return;
  const ours = stat.isFile() && isAnalysis(String(orUserError(path, () => readFileSync(path))));
  if (!ours) {
    throw new UserError(`${path} exists already and is no analysis`, {
      hint: 'give another folder with -o',
    });
  }
}
