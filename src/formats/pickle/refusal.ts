import { FormatError } from '../../base/errors.ts';
import { NOT_READ, RUNS_CODE } from './opcodes.ts';

/** Names in a message are cut: whoever wrote them may mean ill. */
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
