import type { Comparison, EnginePlan, Plan, PlannedPart } from '../../analyses/plan/index.ts';
import { formatBytes, formatDelta } from '../../base/bytes.ts';
import { count, printable } from '../../base/text.ts';
import { formatDuration } from '../../base/time.ts';
import { engineName, PLAN_PARTS } from '../../model/engine-plan.ts';
import type { Fact, Passage } from '../report/section.ts';
import { NONE, type TextTable } from '../table.ts';

type Shown = Omit<Plan, 'type'>;

/** Plans that are shown one by one: of many cards they are alike. */
const MOST_SHOWN = 4;
/** Differences that a sentence names, and from when on. */
const MOST_NAMED = 3;
const WORTH_NAMING = 0.005;
/** What the words would round to all of it. */
const FULL = 0.995;

/** What engines planned, and what they held: a passage each, the last loading of a model first. */
export function planPassages({ engines, notes }: Shown): Passage[] {
  const last = [...engines].reverse();
  const shown = last.slice(0, MOST_SHOWN).map((engine) => passage(engine, engines));
  const rest = last.length - shown.length;
  const more = rest > 0 ? [`and ${count(rest, 'more plan')}: --json has them`] : [];
  return [...shown, { title: 'Plans', blocks: [{ lines: [...more, ...notes.map(printable)] }] }];
}

/** One sentence on the last plan; null: there is none. */
export function planSentence({ engines }: Shown): string | null {
  const last = engines.at(-1);
  return last ? sentence(last) : null;
}

function passage(engine: EnginePlan, all: readonly EnginePlan[]): Passage {
  const alike = all.filter(({ engine: other }) => other === engine.engine);
  const loads = new Set(alike.map(({ load }) => load)).size > 1 ? [`loading ${engine.load}`] : [];
  const who = engine.worker === '' ? [] : [printable(engine.worker)];
  return {
    title: ['Plan', `of ${titleOf(engine)}`, ...[...who, ...loads].map((one) => `(${one})`)].join(
      ' ',
    ),
    about: 'plan',
    blocks: [
      { sentence: sentence(engine) },
      { table: partTable(engine) },
      { table: comparedTable(engine) },
      { facts: facts(engine) },
    ],
  };
}

const titleOf = ({ engine, version }: EnginePlan) =>
  [engineName(engine), version].filter(Boolean).map(printable).join(' ');

function sentence(engine: EnginePlan): string {
  const words = [sumWords(engine), graphWords(engine), poolWords(engine), roomWords(engine)];
  return `${words.filter((one) => one !== null).join('; ')}.`;
}

function sumWords({
  cardBytes,
  hostBytes,
  missing,
  compared,
  measured,
  parts,
}: EnginePlan): string {
  const onCard = cardBytes ?? hostBytes;
  if (onCard === null) {
    const taken = parts
      .filter((part) => part.taken)
      .map((part) => `${part.name} ${formatBytes(part.taken!.bytes)}`);
    return taken.length > 0
      ? `No part of the plan is known; it took ${taken.join(', ')}`
      : 'No part of the plan is known';
  }
  const lacking =
    missing.length > 0
      ? ` without ${missing.map((what) => PLAN_PARTS[what]).join(', ')}, of which the log has no figure`
      : '';
  const planned = `Planned ${formatBytes(onCard)}${lacking}`;
  if (!measured) {
    const host =
      cardBytes !== null && hostBytes ? `, and ${formatBytes(hostBytes)} of the host's memory` : '';
    return `${planned}${host}`;
  }
  const named = [...compared]
    .filter(({ differenceBytes }) => Math.abs(differenceBytes) >= WORTH_NAMING * measured.bytes)
    .sort((a, b) => Math.abs(b.differenceBytes) - Math.abs(a.differenceBytes))
    .slice(0, MOST_NAMED)
    .map(({ name, differenceBytes }) => `${name} ${formatDelta(differenceBytes)}`);
  const why = compared.length > 1 && named.length > 0 ? `: ${named.join(', ')}` : '';
  const real =
    measured.place === 'card'
      ? `really ${formatBytes(measured.bytes)}${why}`
      : `the process held ${formatBytes(measured.bytes)} of the host's memory, with all that is no part of a plan`;
  return `${planned}, ${real}`;
}

/** Without a measure of the process: what graphs took that no plan counts. */
function graphWords({ parts, compared, cardBytes, limitBytes }: EnginePlan): string | null {
  const graphs = parts.find(({ what }) => what === 'graphs');
  if (compared.length > 0 || !graphs?.taken || graphs.planned || graphs.taken.bytes <= 0)
    return null;
  const took = `CUDA graphs took ${formatBytes(graphs.taken.bytes)}`;
  // Where the parts leave that much of what was asked for, they may have been thought of.
  const fits = limitBytes !== null && (cardBytes ?? 0) + graphs.taken.bytes <= limitBytes;
  return fits ? took : `${took}, which it does not count`;
}

function poolWords({ pool, parts }: EnginePlan): string | null {
  if (!pool || pool.highestShare === null) return null;
  const kv = parts.find(({ what }) => what === 'kv')?.planned?.bytes;
  const unused =
    kv === undefined
      ? ''
      : ` (${formatBytes(kv * (1 - pool.highestShare))} of it were not seen in use)`;
  if (pool.highestShare >= FULL) return 'its KV pool was full at times';
  return `its KV pool was never seen above ${percent(pool.highestShare)}${unused}`;
}

function roomWords({ room, utilization }: EnginePlan): string | null {
  if (!room || room.utilization === null || utilization === null) return null;
  if (Math.abs(room.utilization - utilization) < 0.01) return null;
  return room.utilization > utilization
    ? `utilization could be ${room.utilization.toFixed(2)}`
    : `utilization should be ${room.utilization.toFixed(2)} at most, for requests as large as planned`;
}

/** Small shares as they are: 0.4 % is not nothing. */
const percent = (share: number) => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;

function partTable({ parts }: EnginePlan): TextTable {
  const devices = parts.some(({ device }) => device !== '');
  const taken = parts.some((part) => part.taken);
  const cells = (part: PlannedPart) => [
    part.name,
    ...(devices ? [printable(part.device)] : []),
    part.planned ? formatBytes(part.planned.bytes) : NONE,
    ...(taken ? [part.taken ? formatBytes(part.taken.bytes) : NONE] : []),
    printable([part.planned?.from, part.taken?.from].filter(Boolean).join('; ')),
  ];
  const first = devices ? 2 : 1;
  return {
    head: [
      'part',
      ...(devices ? ['on'] : []),
      'planned',
      ...(taken ? ['it says it took'] : []),
      'from',
    ],
    body: parts.map(cells),
    right: new Set(taken ? [first, first + 1] : [first]),
    rest: null,
  };
}

function comparedTable({ compared, measured, cardBytes, hostBytes }: EnginePlan): TextTable {
  const row = ({
    name,
    plannedBytes,
    measuredBytes,
    differenceBytes,
    measuredFrom,
  }: Comparison) => [
    name,
    plannedBytes === null ? NONE : formatBytes(plannedBytes),
    formatBytes(measuredBytes),
    formatDelta(differenceBytes),
    measuredFrom,
  ];
  const planned = compared.reduce((sum, { plannedBytes }) => sum + (plannedBytes ?? 0), 0);
  const whole = compared.reduce((sum, { measuredBytes }) => sum + measuredBytes, 0);
  const sum =
    compared.length > 1
      ? [
          [
            'all of it',
            formatBytes(planned),
            formatBytes(whole),
            formatDelta(whole - planned),
            'the sum of these',
          ],
        ]
      : [];
  const known = measured !== null && (cardBytes !== null || hostBytes !== null);
  return {
    head: ['what', 'planned', 'measured', 'difference', 'told by'],
    body: known ? [...compared.map(row), ...sum] : [],
    right: new Set([1, 2, 3]),
    rest: null,
  };
}

function facts(engine: EnginePlan): Fact[] {
  const { totalBytes, utilization, limitBytes, freeAtStartBytes } = engine;
  const { kvTokens, kvBlocks, contextTokens, pool, room, measured, asleepBytes } = engine;
  const found: Fact[] = [];
  const add = (name: string, value: string | null) => {
    if (value !== null) found.push([name, value]);
  };
  const of = totalBytes === null ? '' : ` of ${formatBytes(totalBytes)}`;
  add(
    'asked for',
    limitBytes === null
      ? utilization === null
        ? null
        : `${utilization} of the card`
      : `${formatBytes(limitBytes)}${of}${utilization === null ? '' : ` (${utilization})`}`,
  );
  add('free at start', freeAtStartBytes === null ? null : formatBytes(freeAtStartBytes));
  const fits = [
    ...(kvTokens === null ? [] : [`${kvTokens.toLocaleString('en')} tokens`]),
    ...(kvBlocks === null ? [] : [`${kvBlocks.toLocaleString('en')} blocks`]),
  ];
  add('KV pool holds', fits.length === 0 ? null : fits.join(', '));
  add(
    'one request',
    contextTokens === null ? null : `${contextTokens.toLocaleString('en')} tokens at most`,
  );
  if (pool) {
    const where =
      pool.highestSeconds !== null
        ? `, at ${formatDuration(pool.highestSeconds)}`
        : pool.highestLine !== null
          ? `, line ${pool.highestLine}`
          : '';
    const told = `${count(pool.samples, 'sample')} of ${pool.from.map((one) => (one === 'log' ? 'its log' : '/metrics')).join(' and ')}`;
    add(
      'KV pool used',
      pool.highestShare === null
        ? 'not told'
        : `${percent(pool.highestShare)} at most by ${told}${where}; it may have been more between them`,
    );
    const requests = [
      ...(pool.mostRunning === null ? [] : [`${pool.mostRunning} ran`]),
      ...(pool.mostWaiting === null ? [] : [`${pool.mostWaiting} waited`]),
    ];
    add('requests', requests.length === 0 ? null : `at most ${requests.join(', ')} at once`);
    add('preemptions', pool.preemptions === null ? 'not told' : String(pool.preemptions));
  }
  add(
    'asleep',
    asleepBytes === null ? null : `${formatBytes(asleepBytes)} still in use, by its own word`,
  );
  if (room) {
    const kept =
      room.keptBytes === null
        ? ''
        : `, ${formatBytes(room.keptBytes)} of it kept for requests as large as planned`;
    add('least free', `${formatBytes(room.leastFreeBytes)} on the card while it served${kept}`);
  }
  if (measured) {
    const who = {
      named: 'as its log names it',
      'only one': 'the only one that held any',
      largest: 'the one that held most: the log names none',
    }[measured.who];
    add('measured', `process ${measured.pid} (${who}), at ${formatDuration(measured.seconds)}`);
    if (measured.place === 'card' && measured.parts.length === 1)
      add(
        'not split',
        'no agent in the process told what torch had: record -- the command that starts it',
      );
  }
  return found;
}
