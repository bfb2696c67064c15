import { FormatError } from '../../base/errors.ts';

/** Names in a message are cut: the file is untrusted input. */
const SHOWN = 80;

/** Why an opcode is not followed. */
export function refuse(op: number, bytes: Uint8Array, pos: number, filled: number): FormatError {
  const code = RUNS_CODE[op];
  if (code) {
    const named = op === 0x63 || op === 0x69 ? ` ${twoLines(bytes.subarray(pos, filled))}` : '';
    return new FormatError(`would make Python run code (${code}${named})`, {
      hint: 'Highwater reads plain data only; do not load this file elsewhere unless you trust it',
    });
  }
  const old = NOT_READ[op];
  return new FormatError(
    old
      ? `has the pickle opcode ${old}, which no snapshot needs`
      : `has no pickle opcode but byte 0x${op.toString(16).padStart(2, '0')}`,
    { hint: old ? 'save it with pickle protocol 2 to 5' : 'the file is damaged or no pickle' },
  );
}

/** The module and name after GLOBAL and INST: two lines. */
function twoLines(bytes: Uint8Array): string {
  const text = new TextDecoder('latin1').decode(bytes.subarray(0, 2 * SHOWN));
  return text.split('\n', 2).join('.').slice(0, SHOWN);
}

/** Opcodes that are not followed; step.ts has those that are. pickletools.py names them all. */

/** Those that make Python import, call or look up something: never followed. */
const RUNS_CODE: Readonly<Record<number, string>> = {
  80: 'PERSID',
  81: 'BINPERSID',
  82: 'REDUCE',
  98: 'BUILD',
  99: 'GLOBAL',
  105: 'INST',
  111: 'OBJ',
  129: 'NEWOBJ',
  130: 'EXT1',
  131: 'EXT2',
  132: 'EXT4',
  146: 'NEWOBJ_EX',
  147: 'STACK_GLOBAL',
  151: 'NEXT_BUFFER',
};

/** Known, and of no use in plain data of protocol 2 and newer. */
const NOT_READ: Readonly<Record<number, string>> = {
  70: 'FLOAT',
  73: 'INT',
  76: 'LONG',
  83: 'STRING',
  86: 'UNICODE',
  103: 'GET',
  112: 'PUT',
  143: 'EMPTY_SET',
  144: 'ADDITEMS',
  145: 'FROZENSET',
  152: 'READONLY_BUFFER',
};
