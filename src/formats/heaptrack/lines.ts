import { FormatError } from '../../base/errors.ts';

/** No name in a program is as long. */
const MOST_LINE = 1 << 20;

/** Lines of a file of any size, without their ends; a last one without an end was cut off. */
export async function eachLine(
  pieces: AsyncIterable<Uint8Array>,
  name: string,
  line: (text: string) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of pieces) {
    const text = decoder.decode(piece, { stream: true });
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      line(rest === '' ? text.slice(start, end) : rest + text.slice(start, end));
      rest = '';
      start = end + 1;
    }
    rest += text.slice(start);
    if (rest.length > MOST_LINE) throw new FormatError(`${name} has a line that never ends`);
  }
  if (rest !== '') {
    throw new FormatError(`${name} ends in the middle of a line`, {
      hint: 'it was cut off: is the program still running?',
    });
  }
}
