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
  /** Lines for existing files: each goes before the first line that begins as `before` says. */
  lines(names: Names): readonly { file: string; before: string; line: string }[];
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
    lines: ({ id, camel }) => [
      {
        file: 'src/formats/index.ts',
        before: FIRST_IMPORT,
        line: `import { ${camel} } from './${id}.ts';`,
      },
      // Before the lenient ones, which take what others left.
      { file: 'src/formats/index.ts', before: '  mxnetCsv,', line: `  ${camel},` },
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
    lines: ({ id, camel, pascal }) => [
      {
        file: 'src/analyses/report.ts',
        before: FIRST_IMPORT,
        line: `import { ${camel}, type ${pascal} } from './${id}.ts';`,
      },
      {
        file: 'src/analyses/report.ts',
        before: '  readonly sampling: ',
        line: `  readonly ${camel}: Omit<${pascal}, 'type'>;`,
      },
      {
        file: 'src/analyses/report.ts',
        before: '  devices: (',
        line: `  ${camel}: ({ recording }: Inputs) => ${camel}(recording),`,
      },
      {
        file: 'src/analyses/report.ts',
        before: '    devices: answers.devices',
        line: `    ${camel}: untagged(answers.${camel}),`,
      },
      {
        file: 'src/views/report/sections.ts',
        before: FIRST_IMPORT,
        line: `import { ${camel}Facts } from './${id}.ts';`,
      },
      {
        file: 'src/views/report/sections.ts',
        before: "  { id: 'layers'",
        line: `  {\n    id: '${id}',\n    passages: titled('${pascal}', (report) => [{ facts: ${camel}Facts(report) }]),\n  },`,
      },
    ],
  },
  page: {
    files: ({ id, camel, pascal }) => ({
      [`src/server/resources/${id}.ts`]: `import { UserError } from '../../base/errors.ts';
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
  const served = await serving(['test/fixtures/recordings/v3.hw']);
  const reply = await ask(served, '/api/run/0/${id}', { authorization: \`Bearer \${served.token}\` });
  expect(reply.status, reply.body).toBe(200);
});
`,
    }),
    lines: ({ id, camel, pascal }) => [
      {
        file: 'src/server/resources/index.ts',
        before: FIRST_IMPORT,
        line: `import { ${camel} } from './${id}.ts';`,
      },
      { file: 'src/server/resources/index.ts', before: '  compare,', line: `  ${camel},` },
      {
        file: 'src/web/pages/index.ts',
        before: '];',
        line: `  {\n    id: '${id}',\n    title: '${pascal}',\n    key: '${id[0]}', // one that no other page has\n    shows: hasResource('${id}'),\n    load: () => import('./${id}/index.tsx'),\n  },`,
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
  expect(await run(['test/fixtures/recordings/v3.hw'])).toBe(0);
});
`,
    }),
    lines: ({ id }) => [
      {
        file: 'src/cli/verbs.ts',
        before: '];',
        line: `  {\n    name: '${id}',\n    summary: 'what it does, in a few words',\n    load: () => import('./commands/${id}.ts'),\n  },`,
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
for (const { file, before, line } of made.lines(names)) {
  const rows = readFileSync(file, 'utf8').split('\n');
  const at = rows.findIndex((row) => row.startsWith(before));
  if (at < 0) throw new Error(`${file} has no line that begins with '${before}'`);
  rows.splice(at, 0, line);
  writeFileSync(file, rows.join('\n'));
  lists.add(file);
}
for (const file of lists) console.log(`changed  ${file}`);
const touched = [...Object.keys(files).filter((path) => /\.tsx?$/.test(path)), ...lists];
spawnSync('npx', ['--no-install', 'biome', 'check', '--write', ...touched], { stdio: 'ignore' });
const test = Object.keys(files).find((path) => path.endsWith('.test.ts'));
console.log(`\nIts test fails until it is written: npm test -- ${test}`);
