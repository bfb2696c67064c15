import { crc32 } from 'node:zlib';
import { mutate } from './mutate.ts';
import { type Edit, pick } from './target.ts';
import { otherLong, otherText, otherWord, type Random } from './values.ts';

/** Heaps of Python processes: blocks, each with a sum over what is in it. */

const FILE_HEAD = 16;
const BLOCK_HEAD = 16;

interface Block {
  head: Uint8Array;
  payload: Uint8Array;
}

function blocksOf(bytes: Uint8Array): Block[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const blocks: Block[] = [];
  for (let at = FILE_HEAD; at + BLOCK_HEAD <= bytes.length; ) {
    const end = at + BLOCK_HEAD + view.getUint32(at + 8, true);
    blocks.push({
      head: bytes.slice(at, at + BLOCK_HEAD),
      payload: bytes.slice(at + BLOCK_HEAD, end),
    });
    at = end;
  }
  return blocks;
}

function sealed(head: Uint8Array, blocks: readonly Block[]): Uint8Array {
  const parts = blocks.flatMap(({ head, payload }) => {
    const fixed = head.slice();
    const view = new DataView(fixed.buffer);
    view.setUint32(4, crc32(payload), true);
    view.setBigUint64(8, BigInt(payload.length), true);
    return [fixed, payload];
  });
  return new Uint8Array(Buffer.concat([head, ...parts]));
}

/** Words within blocks become others; blocks go, come twice, change places; each with a sum that fits. */
export function editPythonHeap(bytes: Uint8Array, random: Random): Uint8Array {
  const blocks = blocksOf(bytes);
  for (let n = 1 + Math.floor(random() * 3); n > 0 && blocks.length > 0; n--) {
    const at = Math.floor(random() * blocks.length);
    const roll = random();
    if (roll < 0.6) blocks[at] = { ...blocks[at]!, payload: withWord(blocks[at]!.payload, random) };
    else if (roll < 0.8) {
      const other = blocks[Math.floor(random() * blocks.length)]!.payload;
      blocks[at] = { ...blocks[at]!, payload: mutate(blocks[at]!.payload, random, other) };
    } else if (roll < 0.87) blocks.splice(at, 1);
    else if (roll < 0.94) blocks.splice(at, 0, blocks[Math.floor(random() * blocks.length)]!);
    else blocks.push(blocks.splice(at, 1)[0]!);
  }
  return sealed(bytes.subarray(0, FILE_HEAD), blocks);
}

function withWord(payload: Uint8Array, random: Random): Uint8Array {
  const result = payload.slice();
  const view = new DataView(result.buffer);
  if (result.length < 8) return result;
  const at = Math.floor((random() * (result.length - 7)) / 4) * 4;
  if (random() < 0.5) view.setUint32(at, otherWord(random, 32, view.getUint32(at, true)), true);
  else view.setBigUint64(at, otherLong(random, view.getBigUint64(at, true)), true);
  return result;
}

/** A number of V8's columns, or a text that they name; the description of the columns stays as it is. */
export const editV8Heap: Edit = (bytes, random) => {
  try {
    const snapshot = JSON.parse(new TextDecoder().decode(bytes));
    const column = snapshot[pick(random, ['nodes', 'nodes', 'edges', 'edges', 'strings'])];
    const at = Math.floor(random() * column.length);
    const small = () => Math.floor(random() * 64);
    column[at] =
      typeof column[at] === 'number'
        ? random() < 0.7
          ? small()
          : otherWord(random, 32, column[at])
        : otherText(random, column[at]);
    return new TextEncoder().encode(JSON.stringify(snapshot));
  } catch {
    return bytes;
  }
};
