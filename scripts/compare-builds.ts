import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { inflateSync } from 'node:zlib';

/**
 * Do two builds say the same? `npx tsx scripts/compare-builds.ts OLD NEW [INPUT…]` runs every command
 * that reads a file (text, JSON, Markdown, SVG, the page's data, exports) with both command lines on
 * every fixture, on ../shared/data and on the inputs that are named, and lists what differs.
 *
 * OLD and NEW are folders with a built dist/. What OLD says is kept in a folder beside it
 * (`OLD/.outputs`), so that the next comparison takes half the time. `--only TEXT` takes part of them.
 */
const LARGE = 4e6; // Only reports of a file above this: its exports are hundreds of megabytes.
const EXPORTS = 'arrow json free-log nvidia-smi csv chrome-trace speedscope collapsed'.split(' ');
const TABLES = 'host process gpu gpu_process marks events allocations cgroup counters'.split(' ');

interface Case {
  readonly id: string;
  readonly args: readonly string[];
  /** A file the command writes, compared as well. */
  readonly writes?: string;
}

const words = process.argv.slice(2);
const only = words.includes('--only') ? words.splice(words.indexOf('--only'), 2)[1] : undefined;
const [oldRoot, newRoot, ...named] = words.map((word) => resolve(word));
if (!oldRoot || !newRoot) {
  console.error('usage: npx tsx scripts/compare-builds.ts OLD NEW [INPUT…] [--only TEXT]');
  process.exit(2);
}
const root = resolve('.');
const kept = join(oldRoot, '.outputs');
mkdirSync(kept, { recursive: true });

const roots = [resolve('test/fixtures'), resolve('../shared/data'), ...named];
const inputs = roots.filter(existsSync).flatMap(inputsBelow);
const cases = [...alone(), ...inputs.flatMap(casesOf), ...together(inputs)].filter(
  ({ id }) => !only || id.includes(only),
);

let differing = 0;
let done = 0;
const queue = cases.slice();
await Promise.all(Array.from({ length: availableParallelism() }, work));
if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
console.log(`${cases.length} outputs of ${inputs.length} inputs, ${differing} differ`);
process.exitCode = differing === 0 ? 0 : 1;

async function work(): Promise<void> {
  for (let next = queue.shift(); next; next = queue.shift()) {
    const file = join(kept, `${createHash('sha1').update(next.id).digest('hex')}.txt`);
    if (!existsSync(file)) writeFileSync(file, await said(oldRoot!, next));
    const before = withoutSizes(readFileSync(file, 'utf8'));
    const after = withoutSizes(await said(newRoot!, next));
    if (before !== after) {
      differing += 1;
      console.log(`${next.id}${firstDifference(before, after)}`);
    }
    done += 1;
    if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${cases.length}`);
  }
}

/** Files and folders that a command takes whole: a recording is a folder, and so is a sweep. */
function inputsBelow(path: string): string[] {
  if (!statSync(path).isDirectory()) return /\.(py|sh|ts|md|c|mjs)$/.test(path) ? [] : [path];
  const names = readdirSync(path).sort();
  const whole = path.endsWith('.hw') || names.includes('sweep.json');
  const below = names.filter((name) => !whole || name.endsWith('.hw') || name === 'heap');
  return [...(whole ? [path] : []), ...below.flatMap((name) => inputsBelow(join(path, name)))];
}

function casesOf(path: string): Case[] {
  const name = path.startsWith(root) ? relative(root, path) : path;
  const run = (verb: string, ...args: string[]): Case => ({
    id: [verb, name, ...args].join(' '),
    args: [verb, path, ...args],
  });
  const file = (verb: string, out: string, ...args: string[]): Case => ({
    ...run(verb, ...args, '--out', out),
    writes: out,
  });
  const page = { ...run('report', '--html', 'o.html'), writes: 'o.html' };
  const reports = [run('report'), run('report', '--json'), run('report', '--markdown')];
  if (/\.(hwheap|heapsnapshot|stat)$/.test(path)) {
    const asked = ['0.paths', '0.referents', '0.referrers', '0.by type', '0.holders'];
    return [
      ...['kind', 'type', 'size', 'rcs', 'module'].map((way) => run('heap', '--by', way)),
      run('heap', '--json', '--retained'),
      run('heap', ...asked.flatMap((what) => ['--ask', what])),
      page,
    ];
  }
  if (!statSync(path).isDirectory() && statSync(path).size > LARGE) return reports;
  if (/\.(pickle|gz|json)$/.test(path)) {
    const events = run('export', '--to', 'csv', '--table', 'events');
    const rest = ['chrome-trace', 'speedscope', 'collapsed'].map((to) => run('export', '--to', to));
    return [...reports, page, events, ...rest, file('plot', 'o.svg')];
  }
  if (!/\.(hw|hwz)$/.test(path)) {
    const table = path.endsWith('.csv') ? [run('report', '--fit', '24GiB')] : [];
    return [...reports, ...table, page, file('plot', 'o.svg'), run('analyze', '--json')];
  }
  return [
    ...reports,
    page,
    run('report', '--series'),
    file('plot', 'o.svg'),
    file('plot', 'dark.svg', '--dark', '--width', '700'),
    file('plot', 'fields.svg', '--fields'),
    file('plot', 'layers.svg', '--layers'),
    file('plot', 'accounting.svg', '--accounting'),
    ...EXPORTS.map((to) => run('export', '--to', to)),
    ...TABLES.map((table) => run('export', '--to', 'csv', '--table', table)),
    run('check', '--no-leak', '--peak', 'tree.pss<=1GiB', '--json'),
    run('check', '--no-leak', '--markdown'),
    { id: `sizes --from ${name}`, args: ['sizes', '--from', path] },
    { id: `sizes --from ${name} --json`, args: ['sizes', '--from', path, '--json'] },
    run('heap', '--json'),
  ];
}

/** Neighbours of a kind beside each other. */
function together(paths: readonly string[]): Case[] {
  const groups = new Map<string, string[]>();
  for (const path of paths) {
    if (!statSync(path).isDirectory() && statSync(path).size > LARGE) continue;
    const kind = join(path, '..', path.split('.').slice(1).join('.'));
    groups.set(kind, [...(groups.get(kind) ?? []), path]);
  }
  return [...groups.values()].flatMap((all) => {
    const group = all.slice(0, 4);
    if (group.length < 2) return [];
    const id = `compare ${group.map((path) => relative(root, path)).join(' ')}`;
    return [[], ['--json'], ['--markdown'], ['--out', 'o.svg'], ['--against', group[0]!]].map(
      (args): Case => ({
        id: `${id} ${args.join(' ')}`,
        args: ['compare', ...group, ...args],
        ...(args[0] === '--out' ? { writes: 'o.svg' } : {}),
      }),
    );
  });
}

/** What is asked of no input: help, completion, and what is wrong about a command line. */
function alone(): Case[] {
  const verbs =
    'record report compare sweep sizes analyze view heap plot check import export pack doctor completion';
  return [
    ...['--help', '--version', 'nonsense'].map((word) => ({ id: word, args: [word] })),
    ...verbs.split(' ').flatMap((verb) =>
      [['--help'], ['--nonsense'], ['/no/such/file']].map((args) => ({
        id: `${verb} ${args.join(' ')}`,
        args: [verb, ...args],
      })),
    ),
    ...['bash', 'zsh', 'fish'].map((shell) => ({
      id: `completion ${shell}`,
      args: ['completion', shell],
    })),
  ];
}

async function said(buildRoot: string, { args, writes }: Case): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'highwater-same-'));
  const child = spawn(process.execPath, [join(buildRoot, 'dist/cli.js'), ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TZ: 'UTC', NO_COLOR: '1', COLUMNS: '120' },
  });
  const parts: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => parts[0].push(chunk));
  child.stderr.on('data', (chunk: Buffer) => parts[1].push(chunk));
  const code = await new Promise((done) => child.on('close', done));
  const written = readdirSync(folder).sort();
  const file = writes && written.includes(writes) ? readFileSync(join(folder, writes), 'utf8') : '';
  rmSync(folder, { recursive: true });
  const text = [
    `exit ${code}; wrote ${written.join(' ')}`,
    ...parts.map((chunks) => Buffer.concat(chunks).toString('latin1')),
    writes?.endsWith('.html') ? dataOfPage(file) : file,
  ].join('\n──\n');
  // Folders of their own for each build and each command.
  return text.replaceAll(folder, '<folder>').replaceAll(buildRoot, '<build>');
}

/** How large a page is that carries a script of its own. */
function withoutSizes(text: string): string {
  return text.replace(/ [\d.]+ [KM]iB, opens in any/, ' …, opens in any');
}

/** The page's own script differs in every build; the answers that are embedded must not. */
function dataOfPage(html: string): string {
  const block =
    /<script type="application\/octet-stream" data-highwater="(data:[^"]*)"[^>]*>([^<]*)</g;
  return [...html.matchAll(block)]
    .map(
      ([, name, base64]) =>
        `${name}\n${inflateSync(Buffer.from(base64!, 'base64')).toString('latin1')}`,
    )
    .join('\n');
}

function firstDifference(before: string, after: string): string {
  let at = 0;
  while (before[at] === after[at]) at += 1;
  const around = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 40), at + 60));
  return `\n    old: ${around(before)}\n    new: ${around(after)}`;
}
