import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * `npm run new -- format NAME` makes the files of a new format (or source, analysis, page, verb),
 * names it in the lists that must know it, and writes a test that fails until the thing is written.
 */
interface Names {
  /** As typed: `heap-dump`. */
  readonly id: string;
  /** `heapDump`. */
  readonly camel: string;
  /** `HeapDump`. */
  readonly pascal: string;
}

interface Kind {
  /** Text of each new file by its path. */
  files(names: Names): Readonly<Record<string, string>>;
  /** What existing files get, each piece before the first place that reads as `before`. */
  pieces(names: Names): readonly { file: string; before: string | RegExp; piece: string }[];
}

const FIRST_IMPORT = 'import ';

const KINDS: Readonly<Record<string, Kind>> = {
  format: {
    files: ({ id, camel, pascal }) => ({
      [`src/formats/${id}.ts`]: `import { FormatError } from '../base/errors.ts';
import { RecordingBuilder } from '../model/builder.ts';
import type { Recording } from '../model/recording.ts';
import type { Format } from './format.ts';
import { headText, type Input } from './input.ts';

/** What writes such files, and what is in them: where its format is described. */
export const ${camel}: Format = {
  id: '${id}',
  title: '${id}',
  extensions: [],
  sniff: (head) => headText(head).startsWith('# ${id}'),
  read: read${pascal},
};

function read${pascal}(input: Input): Recording {
  const builder = new RecordingBuilder({ id: \`${id}:\${input.name}\`, name: input.name });
  let number = 0;
  for (const line of input.lines()) {
    number++;
    if (line.startsWith('#')) continue;
    throw new FormatError(\`\${input.name}, line \${number}: not read yet\`);
  }
  return builder.build();
}
`,
      [`test/fixtures/formats/${id}/README`]: `# ${id}
Put real files here, by version of the program that wrote them, and the program or command that made them.
`,
      [`test/formats/${id}.test.ts`]: `import { expect, it } from 'vitest';
import { ${camel} } from '../../src/formats/${id}.ts';
import { makeInput } from '../../src/formats/input.ts';

it('reads the samples of a file', async () => {
  const bytes = new TextEncoder().encode('# ${id}\\n0.0 1048576\\n');
  expect(${camel}.sniff(bytes)).toBe(true);
  const recording = await ${camel}.read!(makeInput('a.${id}', () => [bytes]));
  expect(recording.table('process').rows).toBe(1);
});
`,
    }),
    pieces: ({ id, camel }) => [
      {
        file: 'src/formats/index.ts',
        before: FIRST_IMPORT,
        piece: `import { ${camel} } from './${id}.ts';\n`,
      },
      // Before the lenient ones, which take what others left.
      { file: 'src/formats/index.ts', before: '  mxnetCsv,', piece: `  ${camel},\n` },
    ],
  },
  source: {
    files: ({ id, camel, pascal }) => ({
      [`src/sources/${id}.ts`]: `import { TABLES } from '../model/schema.ts';
import type { TableBuffer } from '../model/table.ts';
import { readText } from './proc.ts';
import type { Sampler, Sink, Source, Tick } from './source.ts';

/** What is measured, and by whose file or call. */
export const ${camel}Source: Source = {
  id: '${id}',
  title: 'what is measured',
  probe(machine) {
    const there = readText(\`\${machine.proc}/${id}\`) !== null;
    return there ? { ok: true, detail: '' } : { ok: false, reason: 'why not, and what to do' };
  },
  open: ({ sink }) => new ${pascal}Sampler(sink),
};

class ${pascal}Sampler implements Sampler {
  readonly #table: TableBuffer;

  constructor(sink: Sink) {
    this.#table = sink.table(TABLES.${camel});
  }

  /** Called a hundred times a second: reads what is held open, waits for nothing. */
  sample(tick: Tick): void {
    const row = this.#table.addRow();
    this.#table.f64(0)[row] = tick.time;
    this.#table.f64(1)[row] = Number.NaN;
  }

  close(): void {}
}
`,
      [`docs/sources/${id}.md`]: `# ${id}

What is measured, where it comes from, what it costs, and what it cannot know.
`,
      [`test/sources/${id}.test.ts`]: `import { expect, it } from 'vitest';
import { ${camel}Source } from '../../src/sources/${id}.ts';
import { FakeMachine } from '../support/fake-machine.ts';

it('can be measured where the kernel shows it', () => {
  const machine = new FakeMachine();
  expect(${camel}Source.probe(machine)).toMatchObject({ ok: false });
  machine.write('proc/${id}', '4096\\n');
  expect(${camel}Source.probe(machine)).toEqual({ ok: true, detail: '4096 bytes' });
});
`,
    }),
    pieces: ({ id, camel }) => [
      {
        file: 'src/sources/index.ts',
        before: FIRST_IMPORT,
        piece: `import { ${camel}Source } from './${id}.ts';\n`,
      },
      { file: 'src/sources/index.ts', before: /,?\n?\];/, piece: `, ${camel}Source` },
      {
        file: 'src/model/schema.ts',
        before: "  cgroup: table('cgroup'",
        piece: `  ${camel}: table('${id}', 'what a row is', [\n    time,\n    f64('value', 'bytes', 'what it means'),\n  ]),\n`,
      },
      {
        file: 'src/model/series.ts',
        before: "  spec('cgroup.current'",
        piece: `  spec('${id}.value', '${camel}', (rows, name) => perRow(rows, name, rows.f64('value'))),\n`,
      },
    ],
  },
  analysis: {
    files: ({ id, camel, pascal }) => ({
      [`src/analyses/${id}.ts`]: `import type { Recording } from '../model/recording.ts';

/** The question that is answered, in one sentence. */
export interface ${pascal} {
  readonly type: '${id}';
  /** null: not known. */
  readonly bytes: number | null;
}

export function ${camel}(_recording: Recording): ${pascal} {
  return { type: '${id}', bytes: null };
}
`,
      [`src/views/report/${id}.ts`]: `import type { Report } from '../../analyses/report.ts';
import { formatBytes } from '../../base/bytes.ts';

export function ${camel}Facts({ ${camel} }: Report): [string, string][] {
  return ${camel}.bytes === null ? [] : [['${id}', formatBytes(${camel}.bytes)]];
}
`,
      [`test/analyses/${id}.test.ts`]: `import { expect, it } from 'vitest';
import { ${camel} } from '../../src/analyses/${id}.ts';
import { sampleRecording } from '../support/sample-recording.ts';

it('answers for a recording whose figures are known', () => {
  expect(${camel}(sampleRecording()).bytes).toBe(1024 ** 2);
});
`,
    }),
    pieces: ({ id, camel, pascal }) => [
      {
        file: 'src/analyses/report.ts',
        before: FIRST_IMPORT,
        piece: `import { ${camel} } from './${id}.ts';\n`,
      },
      {
        file: 'src/analyses/report-facts.ts',
        before: FIRST_IMPORT,
        piece: `import type { ${pascal} } from './${id}.ts';\n`,
      },
      {
        file: 'src/analyses/report-facts.ts',
        before: '  readonly sampling: ',
        piece: `  readonly ${camel}: Omit<${pascal}, 'type'>;\n`,
      },
      {
        file: 'src/analyses/report.ts',
        before: '  devices: (',
        piece: `  ${camel}: ({ recording }: RecordingWithTraces) => ${camel}(recording),\n`,
      },
      {
        file: 'src/analyses/report.ts',
        before: '    devices: answers.devices',
        piece: `    ${camel}: untagged(answers.${camel}),\n`,
      },
      {
        file: 'src/views/report/sections.ts',
        before: FIRST_IMPORT,
        piece: `import { ${camel}Facts } from './${id}.ts';\n`,
      },
      {
        file: 'src/views/report/sections.ts',
        before: "  { id: 'layers'",
        piece: `  {\n    id: '${id}',\n    passages: titled('${pascal}', (report) => [{ facts: ${camel}Facts(report) }]),\n  },\n`,
      },
    ],
  },
  page: {
    files: ({ id, camel, pascal }) => ({
      [`src/answers/resources/${id}.ts`]: `import { UserError } from '../../base/errors.ts';
import { asRun, type Resource } from './resource.ts';

/** What the page is told, in one sentence. */
export const ${camel}: Resource = {
  name: '${id}',
  scope: 'run',
  has: (_opened, run) => asRun(run).recording.tables.length > 0,
  get: async (_opened, run) => {
    throw new UserError(\`what ${id} tells of \${asRun(run).name} is not written yet\`);
  },
};
`,
      [`src/web/pages/${id}/index.tsx`]: `import { useResource } from '../../parts/resource.ts';
import { Awaited } from '../../parts/waiting.tsx';
import type { PageProps } from '../page.ts';

/** What the page shows, in one sentence. */
export default function ${pascal}Page({ run }: PageProps) {
  const fetched = useResource<object>(\`run/\${run.id}/${id}\`);
  return (
    <Awaited what="${id}" fetched={fetched}>
      {(data) => <pre>{JSON.stringify(data, null, 2)}</pre>}
    </Awaited>
  );
}
`,
      [`test/web/${id}.test.ts`]: `import { expect, it } from 'vitest';
import { ask, serving } from './serving.ts';

it('is told of a run', async () => {
  const served = await serving(['test/fixtures/recordings/v4.hw']);
  const reply = await ask(served, '/api/run/0/${id}', { authorization: \`Bearer \${served.token}\` });
  expect(reply.status, reply.body).toBe(200);
});
`,
    }),
    pieces: ({ id, camel, pascal }) => [
      {
        file: 'src/answers/resources/index.ts',
        before: FIRST_IMPORT,
        piece: `import { ${camel} } from './${id}.ts';\n`,
      },
      { file: 'src/answers/resources/index.ts', before: '  compare,', piece: `  ${camel},\n` },
      {
        file: 'src/web/pages/index.ts',
        before: '];',
        piece: `  {\n    id: '${id}',\n    title: '${pascal}',\n    key: '${id[0]}', // one that no other page has\n    needs: 'what it is made from, and how to come by that',\n    shows: hasResource('${id}'),\n    load: () => import('./${id}/index.tsx'),\n  },\n`,
      },
    ],
  },
  verb: {
    files: ({ id, camel }) => ({
      [`src/cli/commands/${id}.ts`]: `import type { Command } from 'commander';
import { UserError } from '../../base/errors.ts';
import { newCommand, runCommand } from '../verb.ts';

const EXAMPLE = 'highwater ${id} highwater-runs/train.hw';

export function command(): Command {
  return newCommand('${id}', 'What it does, in one sentence.', EXAMPLE).argument(
    '[recording]',
    'recording, packed or foreign file (default: the newest)',
  );
}

export function run(argv: readonly string[]): Promise<number> {
  return runCommand(command(), argv, ${camel});
}

async function ${camel}(path: string | undefined): Promise<void> {
  throw new UserError(\`${id} \${path ?? ''}: not written yet\`);
}
`,
      [`test/cli/${id}.test.ts`]: `import { expect, it } from 'vitest';
import { run } from '../../src/cli/commands/${id}.ts';

it('does what it says with a recording', async () => {
  expect(await run(['test/fixtures/recordings/v4.hw'])).toBe(0);
});
`,
    }),
    pieces: ({ id }) => [
      {
        file: 'src/cli/verbs.ts',
        before: '];',
        piece: `  {\n    name: '${id}',\n    summary: 'what it does, in a few words',\n    load: () => import('./commands/${id}.ts'),\n  },\n`,
      },
    ],
  },
};

const [kind = '', id = ''] = process.argv.slice(2);
const made = KINDS[kind];
if (!made || !/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(id)) {
  console.error(`usage: npm run new -- ${Object.keys(KINDS).join('|')} NAME   (as heap-dump)`);
  process.exit(2);
}
const camel = id.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
const names = { id, camel, pascal: camel[0]!.toUpperCase() + camel.slice(1) };
const files = made.files(names);
const there = Object.keys(files).find(existsSync);
if (there) {
  console.error(`${there} is there already: choose another name`);
  process.exit(2);
}

for (const [path, text] of Object.entries(files)) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  console.log(`new      ${path}`);
}
const lists = new Set<string>();
for (const { file, before, piece } of made.pieces(names)) {
  const text = readFileSync(file, 'utf8');
  const at = typeof before === 'string' ? text.indexOf(before) : text.search(before);
  if (at < 0) throw new Error(`${file} has no place that reads '${before}'`);
  writeFileSync(file, text.slice(0, at) + piece + text.slice(at));
  lists.add(file);
}
for (const file of lists) console.log(`changed  ${file}`);
const touched = [...Object.keys(files).filter((path) => /\.tsx?$/.test(path)), ...lists];
spawnSync('node_modules/.bin/biome', ['check', '--write', ...touched], { stdio: 'ignore' });
const test = Object.keys(files).find((path) => path.endsWith('.test.ts'));
console.log(`\nIts test fails until it is written: npm test -- ${test}`);
