import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { BENCHMARKS } from './benchmarks.ts';
import { machine } from './machine.ts';
import { runAll, verdictOf } from './suite.ts';
import { formatMarkdown, formatSummary } from './table.ts';

const USAGE = `usage: npm run bench -- [name…] [--quick] [--full] [--json FILE] [--markdown]
       npm run bench -- --list

  --quick      shorter runs, to see whether all works; limits are judged all the same
  --full       the real thing where the usual run is scaled down (week)
  --json FILE  all rows, those too that are not in the table at the end
  --markdown   the table at the end as rows for docs/benchmarks.md
  --list       the names, what each is about and how long it takes

Progress goes to stderr, the table to stdout. Exit: 0 all limits hold, 1 one does not, 2 wrong usage,
3 a benchmark failed, 4 a limit lies within the noise.
names: ${BENCHMARKS.map((b) => b.name).join(' ')}
`;

const FLAGS = {
  quick: { type: 'boolean', default: false },
  full: { type: 'boolean', default: false },
  json: { type: 'string' },
  markdown: { type: 'boolean', default: false },
  list: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

function parsed(argv: string[]) {
  const { values, positionals } = parseArgs({
    args: argv,
    options: FLAGS,
    allowPositionals: true,
  });
  const unknown = positionals.find((name) => !BENCHMARKS.some((b) => b.name === name));
  if (unknown !== undefined) throw new Error(`there is no benchmark ${unknown}`);
  const chosen = BENCHMARKS.filter((b) => positionals.length === 0 || positionals.includes(b.name));
  return { ...values, chosen };
}

function list(): string {
  const width = Math.max(...BENCHMARKS.map((b) => b.name.length));
  const lines = BENCHMARKS.map(({ name, title, minutes }) => {
    const about = minutes === undefined ? '' : ` (about ${minutes} min)`;
    return `${name.padEnd(width)}  ${title}${about}`;
  });
  return `${lines.join('\n')}\n`;
}

async function main(argv: string[]): Promise<number> {
  let given: ReturnType<typeof parsed>;
  try {
    given = parsed(argv);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${USAGE}`);
    return 2;
  }
  if (given.help || given.list) {
    process.stdout.write(given.help ? USAGE : list());
    return 0;
  }
  const { quick, full, chosen } = given;
  let interrupted = false;
  // What was measured before is still shown; a second time ends it at once.
  process.once('SIGINT', () => {
    interrupted = true;
  });
  const date = new Date().toISOString();
  const about = `${date.slice(0, 10)}, ${machine()}${quick ? ', --quick' : ''}`;
  const tell = (text: string) => process.stderr.write(text);
  tell(`${about}\n`);
  const results = await runAll(chosen, { quick, full }, tell, () => interrupted);
  if (given.json !== undefined) {
    const all = { date, machine: machine(), quick, full, results };
    writeFileSync(given.json, `${JSON.stringify(all, null, 2)}\n`);
  }
  const table = given.markdown ? formatMarkdown(results) : formatSummary(results);
  const { text, exit } = verdictOf(results);
  process.stdout.write(`\n${about}\n\n${table}\n\n${text}\n`);
  if (interrupted) process.stdout.write(`interrupted: ${results.length} of ${chosen.length} run\n`);
  return interrupted ? 130 : exit;
}

process.exitCode = await main(process.argv.slice(2));
