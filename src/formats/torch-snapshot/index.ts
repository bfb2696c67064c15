import { FormatError, UserError } from '../../base/errors.ts';
import type { Recording } from '../../model/recording.ts';
import type { Format } from '../format.ts';
import type { Input } from '../input.ts';
import { Unpickler } from '../pickle/unpickler.ts';
import { Events } from './events.ts';
import { Frames } from './frames.ts';
import { KEYS } from './keys.ts';
import { Pools } from './pools.ts';
import { assemble, type Parts } from './recording.ts';
import { Annotations, Blocks, History, Segments, SHAPE } from './shapes.ts';
import { Tags } from './tags.ts';

/** What `torch.cuda.memory._snapshot()` returns, pickled, and its relatives of other devices. */
export const torchSnapshot: Format = {
  id: 'torch-snapshot',
  title: "PyTorch's memory snapshot",
  extensions: ['.pickle', '.pkl'],
  binary: true,
  takesEvents: true,
  sniff: (head) => head[0] === 0x80 && head[1]! >= 2 && head[1]! <= 5,
  read: (input) => readPickled(input, input.stream()),
};

/** No event takes fewer bytes: with those, columns are set aside before it is known how many. */
const BYTES_AN_EVENT = 48;
const LEAST_SET_ASIDE = 1024;
const MOST_SET_ASIDE = 1 << 25;

/** What the pieces of a pickle hold; `input` tells its name and what is wanted of it. */
export async function readPickled(
  input: Input,
  pieces: ReturnType<Input['stream']>,
): Promise<Recording> {
  try {
    const parts = newParts(input);
    const { unpickler, events } = parts;
    for await (const piece of pieces) {
      unpickler.push(piece);
      if (unpickler.done) break;
      input.watch?.(events.watched, events.rows);
    }
    const root = unpickler.end();
    await unpickler.forget();
    return assemble(input, parts, root);
  } catch (error) {
    throw explained(input.name, error);
  }
}

/** Names the file where an error does not, and says what to do when memory is short. */
function explained(name: string, error: unknown): unknown {
  if (error instanceof RangeError) {
    return new UserError(`${name} needs more memory than there is (${error.message})`, {
      hint: 'load a part of it with --events',
      cause: error,
    });
  }
  if (!(error instanceof FormatError) || error.message.startsWith(`${name}:`)) return error;
  return new FormatError(`${name}: ${error.message}`, { hint: error.hint });
}

function newParts(input: Input): Parts {
  const texts = () => unpickler.texts;
  const range = input.hints.events ?? null;
  const expected = Math.min(
    Math.max(Math.ceil((input.size ?? 0) / BYTES_AN_EVENT), LEAST_SET_ASIDE),
    range ? range.to - range.from + 1 : MOST_SET_ASIDE,
    MOST_SET_ASIDE,
  );
  const pools = new Pools();
  const tags = new Tags(texts);
  const frames = new Frames();
  const events = new Events({
    texts,
    pools,
    tags,
    frames,
    framesShape: SHAPE.frames,
    range,
    expected,
    shared: input.watch !== undefined,
  });
  const blocks = new Blocks(texts);
  const segments = new Segments(texts, pools);
  const annotations = new Annotations(texts);
  const history = new History();
  const shapes = [frames, events, blocks, segments, annotations, history];
  const unpickler = new Unpickler(input.name, KEYS, shapes, input.size ?? 0);
  return { unpickler, frames, events, blocks, segments, annotations, history, pools, tags };
}
