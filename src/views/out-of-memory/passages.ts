import type { JudgedOom, OutOfMemory } from '../../analyses/out-of-memory.ts';
import { formatBytes } from '../../base/bytes.ts';
import { count, printable } from '../../base/text.ts';
import { placeName } from '../../model/out-of-memory.ts';
import { filled, type Verdict } from '../../model/verdict.ts';
import { planPassages } from '../plan/passages.ts';
import type { Fact, Passage } from '../report/section.ts';
import { programPassage } from './xla-program.ts';

/** Other messages of the same text that are shown. */
const MOST_OTHERS = 8;
/** A program that prints so much after it has very likely caught it. */
const GOES_ON_LINES = 20;

/** What stands below the verdict's sentence. */
export function crashPassages(result: OutOfMemory, verdict: Verdict): Passage[] {
  const { main } = result;
  const plans = result.plan.engines.length > 0 ? planPassages(result.plan) : [];
  if (!main) return plans;
  const fixes = verdict.fixes.map(({ what }) => printable(filled(verdict, what)));
  return [
    { title: 'What was said', blocks: [{ facts: saidFacts(result, main) }] },
    { title: 'Figures', blocks: [{ facts: figureFacts(main) }] },
    ...(result.program ? [programPassage(result.program)] : []),
    { title: 'Why', blocks: [{ facts: causeFacts(main, verdict) }] },
    { title: 'What to do', blocks: [{ lines: fixes }] },
    ...plans,
    { title: 'Also in this text', blocks: [{ lines: otherLines(result, main) }] },
    { title: 'To know more next time', blocks: [{ lines: nextLines(verdict, main) }] },
  ];
}

/** What the verdict says of each cause: `shown`, `possible` or `excluded`, and why. */
function causeFacts({ causes, unexplained, freeWasEnough }: JudgedOom, verdict: Verdict): Fact[] {
  const said = [...verdict.evidence, ...verdict.against].filter(({ at }) => CAUSE.test(at));
  const inOrder = causes.flatMap(
    (_, i) => said.find(({ at }) => CAUSE.exec(at)![1] === String(i)) ?? [],
  );
  if (inOrder.length === 0) return [['not known', noFigures({ unexplained, freeWasEnough })]];
  return inOrder.map(({ statement }): Fact => {
    const [judgement, ...rest] = filled(verdict, statement).split(': ');
    return [judgement!, printable(rest.join(': '))];
  });
}

const CAUSE = /^\/main\/causes\/(\d+)\//;

function noFigures({
  unexplained,
  freeWasEnough,
}: Pick<JudgedOom, 'unexplained' | 'freeWasEnough'>) {
  if (unexplained) return 'it was killed, and nothing here says by whom';
  return freeWasEnough
    ? 'more was free than was asked for, so these figures do not explain it'
    : 'the text has no figures that say why';
}

/** The verdict's next command, with one to put one's own in the place of. */
function nextLines({ next }: Verdict, { source }: JudgedOom): string[] {
  if (!next) return [];
  const example = source === 'v8' ? 'node app.js' : 'python train.py';
  return [`${next.argv.join(' ').replace('{command}', example)}   # ${next.why}`];
}

function saidFacts({ name, lines, linesAfter }: OutOfMemory, main: JudgedOom): Fact[] {
  const times = main.times > 1 ? `, ${main.times} times in all` : '';
  const facts: Fact[] = [
    ['where', printable(`line ${main.line} of ${lines} of ${name}${times}`)],
    // The program's own words: nothing in them is ours.
    ['text', printable(main.text)],
  ];
  if (linesAfter >= GOES_ON_LINES) {
    facts.push([
      'afterwards',
      `the text goes on for ${count(linesAfter, 'line')}: the program may have caught it and gone on`,
    ]);
  }
  return facts;
}

function figureFacts(main: JudgedOom): Fact[] {
  const { asked, free, total, process, allocated, reservedUnused, limit, limitOf } = main;
  const facts: Fact[] = [];
  const add = (name: string, bytes: number | undefined, more = '') => {
    if (bytes !== undefined) facts.push([name, `${formatBytes(bytes)}${more}`]);
  };
  const of = total === undefined ? '' : ` of ${formatBytes(total)}`;
  add('asked for', asked, main.shape ? `, for shape ${printable(main.shape)}` : '');
  if (asked === undefined && main.shape)
    facts.push(['asked for', `shape ${printable(main.shape)}`]);
  add('free', free, of);
  if (free === undefined) add('there is', total);
  add('limit', limit, limitOf ? ` (${printable(limitOf)})` : '');
  add('this process', process);
  add('tensors', allocated, main.source === 'torch' ? ' allocated' : '');
  add('kept unused', reservedUnused, ' by the allocator');
  add('CUDA graphs', main.graphPools, ' in pools of their own');
  const others = main.causes.find(({ cause }) => cause === 'other-process');
  if (others && others.roomBytes !== null)
    add('all others', others.roomBytes, ' at most, with what the driver keeps');
  if (main.pid !== undefined) facts.push(['process', String(main.pid)]);
  return facts;
}

function otherLines({ events, dropped }: OutOfMemory, main: JudgedOom): string[] {
  // Not by identity: on a page both came as JSON.
  const others = events.filter(({ line, source }) => line !== main.line || source !== main.source);
  const shown = others.slice(0, MOST_OTHERS).map((event) => {
    const asked = event.asked === undefined ? '' : `, ${formatBytes(event.asked)} asked for`;
    const times = event.times > 1 ? `, ${event.times} times` : '';
    return `line ${event.line}${who(event)}: ${placeName(event)}${asked}${times}`;
  });
  const rest = others.length - shown.length + dropped;
  return rest > 0 ? [...shown, `and ${rest} more`] : shown;
}

const who = ({ rank }: JudgedOom) => (rank === undefined ? '' : ` on rank ${rank}`);
