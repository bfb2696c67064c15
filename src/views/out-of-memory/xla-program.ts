import { formatBytes } from '../../base/bytes.ts';
import { printable } from '../../base/text.ts';
import type { XlaBuffer, XlaProgram } from '../../model/out-of-memory.ts';
import type { Fact, Passage } from '../report/section.ts';
import type { TextTable } from '../table.ts';

const MOST_BUFFERS = 8;
const LONGEST_NAME = 60;

/** What the program that XLA compiled needs, and its largest buffers with the code that makes them. */
export function programPassage(program: XlaProgram): Passage {
  const facts: Fact[] = [];
  const add = (name: string, bytes: number | undefined) => {
    if (bytes) facts.push([name, formatBytes(bytes)]);
  };
  add('in all', program.total);
  add('parameters', program.parameters);
  add('outputs', program.outputs);
  add('temporaries', program.temporaries);
  add('constants', program.constants);
  add('lost between buffers', program.fragmentation);
  const shown = program.buffers.slice(0, MOST_BUFFERS);
  const rows = shown.map((buffer) => [
    formatBytes(buffer.bytes),
    printable(buffer.shape ?? ''),
    printable(whatIs(buffer)),
    printable(placeOf(buffer)),
  ]);
  const rest = program.buffers.length - shown.length;
  const table: TextTable = {
    head: ['buffer', 'shape', 'what', 'where'],
    body: rows,
    right: new Set([0]),
    rest: rest > 0 ? `and ${rest} more` : null,
  };
  return {
    title: 'What the compiled program needs',
    blocks: [{ facts }, ...(rows.length > 0 ? [{ table }] : [])],
  };
}

/** The end of an operation's path says most: `…/encoder/layers_3/attention/dot_general`. */
function whatIs({ operation, what }: XlaBuffer): string {
  if (operation === undefined) return what ?? '';
  const plain = operation.replace(/\[.*$/s, '');
  return plain.length > LONGEST_NAME ? `…${plain.slice(1 - LONGEST_NAME)}` : plain;
}

const placeOf = ({ file, line }: XlaBuffer) =>
  file === undefined ? '' : `${file}${line === undefined ? '' : `:${line}`}`;
