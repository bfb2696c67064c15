import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check } from '../../src/analyses/check/index.ts';
import { runFigures } from '../../src/analyses/check/run-figures.ts';
import { report } from '../../src/analyses/report.ts';
import { withUserRules } from '../../src/analyses/tags/rules-file.ts';
import { readBaseline, saveBaseline } from '../../src/cli/commands/check/baseline.ts';
import { readConfig } from '../../src/cli/commands/check/config.ts';
import { limitsOf } from '../../src/cli/commands/check/limits.ts';
import { TableBuffer } from '../../src/model/table.ts';
import { addAgentRows } from '../../src/sources/agent/agent-rows.ts';
import { isRowMessage, rowKindOf } from '../../src/sources/agent/kinds/index.ts';
import { parseMessage } from '../../src/sources/agent/protocol.ts';
import { sampleRecording } from '../support/sample-recording.ts';
import { expected, type Target } from './target.ts';

/** Files of a few lines that people write by hand, and lines that agents send. */
export function smallFileTargets(): Target[] {
  return [messageTarget(), rulesTarget(), configTarget(), baselineTarget()];
}

const encoded = (text: string) => new TextEncoder().encode(text);
const decoded = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** Each line is a message and makes its rows, or is said why it is none: nothing may be thrown at a recorder. */
function messageTarget(): Target {
  const lines = ['messages', 'requests'].flatMap((name) =>
    readFileSync(`test/fixtures/agent/${name}.ndjson`, 'utf8').trim().split('\n'),
  );
  return {
    id: 'agent-messages',
    seeds: lines.map((line, i) => ({ label: `line-${i}`, bytes: encoded(line) })),
    async attempt(_label, bytes) {
      for (const line of decoded(bytes).split('\n')) {
        const message = parseMessage(line);
        if ('wrong' in message || !isRowMessage(message)) continue;
        const table = new TableBuffer(rowKindOf(message).table);
        const received = { message, time: 0, pid: 1, rank: null };
        addAgentRows({ table: () => table, intern: (text) => text.length }, received);
      }
    },
  };
}

function rulesTarget(): Target {
  const rules = [{ match: 'moe', category: 'moe', group: 'forward', label: 'experts' }];
  return {
    id: 'tag-rules',
    seeds: [{ label: 'rules.json', bytes: encoded(JSON.stringify(rules)) }],
    attempt: (label, bytes) =>
      expected(() => {
        withUserRules(label, decoded(bytes));
      }),
  };
}

const NO_FLAGS = { peak: [], leak: true, growth: [], baseline: [], maxRegress: [] };

let scratch: string | undefined;

/** These are read by their path. */
function written(name: string, bytes: Uint8Array): string {
  scratch ??= mkdtempSync(join(tmpdir(), 'highwater-fuzz-'));
  const path = join(scratch, name);
  writeFileSync(path, bytes);
  return path;
}

function configTarget(): Target {
  const limits = {
    peak: ['tree.pss<=8GiB', 'gpu<=24GiB'],
    noLeak: true,
    growth: '<=1MiB/iteration',
  };
  const given = { check: { ...limits, baseline: 'memory.json', maxRegress: '3%' } };
  return {
    id: 'config',
    seeds: [{ label: 'highwater.config.json', bytes: encoded(JSON.stringify(given)) }],
    attempt: (label, bytes) =>
      expected(() => {
        limitsOf(NO_FLAGS, readConfig(written(label, bytes)));
      }),
  };
}

/** A run is held against what was read. */
function baselineTarget(): Target {
  const run = report(sampleRecording(12));
  const path = written('made.json', new Uint8Array(0));
  saveBaseline(path, [runFigures(run)], true);
  return {
    id: 'baseline',
    seeds: [{ label: 'memory.json', bytes: new Uint8Array(readFileSync(path)) }],
    attempt: (label, bytes) =>
      expected(async () => {
        const before = await readBaseline([written(label, bytes)]);
        const { limits } = limitsOf(
          { ...NO_FLAGS, baseline: ['it'], maxRegress: ['3%'] },
          readConfig(null),
        );
        check([run], limits, before);
      }),
  };
}
