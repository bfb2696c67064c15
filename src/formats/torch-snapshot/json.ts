import { FormatError } from '../../base/errors.ts';
import type { Recording } from '../../model/recording.ts';
import type { Format } from '../format.ts';
import { headText, type Input } from '../input.ts';
import { readPickled } from './index.ts';
import { asPickle } from './json-pickle.ts';

/** The same dict as JSON: programs without Python write it so, and `json.dump(torch.cuda.memory._snapshot(), …)`. */
export const torchSnapshotJson: Format = {
  id: 'torch-snapshot-json',
  title: "PyTorch's memory snapshot as JSON",
  extensions: ['.snapshot.json'],
  takesEvents: true,
  sniff: (head) =>
    /^\s*\{\s*"(segments|device_traces)"\s*:\s*\[/.test(headText(head)) ||
    /^\s*\{\s*"allocator_settings"\s*:/.test(headText(head)),
  read: readJson,
};

async function readJson(input: Input): Promise<Recording> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(input.text());
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new FormatError(`${input.name}: its JSON cannot be read: ${error.message}`, {
      hint: 'was it cut short?',
    });
  }
  return readPickled(input, pieces(input.name, parsed));
}

function* pieces(name: string, parsed: unknown): Generator<Uint8Array> {
  const fits = yield* asPickle(parsed);
  if (!fits) throw new FormatError(`${name}: its JSON is nested too deeply for a snapshot`);
}
