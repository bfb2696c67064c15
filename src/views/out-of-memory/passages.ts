import type { JudgedOom, OutOfMemory } from '../../analyses/out-of-memory.ts';
import { formatBytes } from '../../base/bytes.ts';
import { count, printable } from '../../base/text.ts';
import type { Fact, Passage } from '../report/section.ts';
import { advice, nextTime } from './advice.ts';
import { causeWords } from './causes.ts';
import { placeName } from './place.ts';

/** Other messages of the same text that are shown. */
const MOST_OTHERS = 8;
/** A program that prints so much after it has very likely caught it. */
const GOES_ON_LINES = 20;

/** One line: where it ran out, and why. */
export function crashAnswer({ name, main }: OutOfMemory): string {
  if (!main) return `${printable(name)}: no line says that memory ran out.`;
  const why = causeWords(main).headline;
  if (main.unexplained)
    return `A process was killed (SIGKILL)${who(main)}; whether for memory, this text does not say.`;
  return `${sentenceCase(placeName(main))} ran out of memory${who(main)}: ${why}.`;
}

export function crashPassages(result: OutOfMemory): Passage[] {
  const { main } = result;
  if (!main) return [];
  return [
    { title: 'What was said', blocks: [{ facts: saidFacts(result, main) }] },
    { title: 'Figures', blocks: [{ facts: figureFacts(main) }] },
    { title: 'Why', blocks: [{ facts: causeWords(main).facts }] },
    { title: 'What to do', blocks: [{ lines: advice(main) }] },
    { title: 'Also in this text', blocks: [{ lines: otherLines(result, main) }] },
    { title: 'To know more next time', blocks: [{ lines: nextTime(main) }] },
  ];
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
  const others = events.filter((event) => event !== main);
  const shown = others.slice(0, MOST_OTHERS).map((event) => {
    const asked = event.asked === undefined ? '' : `, ${formatBytes(event.asked)} asked for`;
    const times = event.times > 1 ? `, ${event.times} times` : '';
    return `line ${event.line}${who(event)}: ${placeName(event)}${asked}${times}`;
  });
  const rest = others.length - shown.length + dropped;
  return rest > 0 ? [...shown, `and ${rest} more`] : shown;
}

const who = ({ rank }: JudgedOom) => (rank === undefined ? '' : ` on rank ${rank}`);
const sentenceCase = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
