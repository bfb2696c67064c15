import { rmSync } from 'node:fs';
import { setPriority } from 'node:os';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { describeError } from '../../base/errors.ts';
import { type Counts, type RunFacts, runSamples, samplesOf } from '../../metrics/samples.ts';
import { Exposition } from '../../metrics/send/expose.ts';
import { Sender } from '../../metrics/send/sender.ts';
import { writeTextfile } from '../../metrics/send/textfile.ts';
import { problemLine } from '../../metrics/send/words.ts';
import type { Window } from '../../metrics/window/window-taker.ts';
import { textExposition } from '../../metrics/wire/text.ts';
import type { FromPush, PushThreadData, ToPush } from './messages.ts';

/**
 * The pushing thread: makes requests of windows and waits for servers, so that neither sampling nor
 * writing nor the workload's output has to.
 */
const NICE = 10;

const { settings, facts, windows } = workerData as PushThreadData;
const { target, credentials, expose, textfile } = settings;
const tell = (message: FromPush) => parentPort!.postMessage(message);

try {
  setPriority(0, NICE); // of this thread alone
} catch {}

const sender =
  target &&
  new Sender(target, credentials, (problem) =>
    tell({ type: 'problem', text: problemLine(target.shown, problem) }),
  );
const begun = runSamples(facts, Date.now());
let newest = begun;
let waiting: Window[] = [];
let exposition: Exposition | null = null;
let isTextfileBroken = false;

sender?.add(begun);
show();
if (expose) {
  try {
    const opened = await Exposition.open(expose, () => textExposition(newest));
    exposition = opened.exposition;
    tell({ type: 'exposed', url: opened.url });
  } catch (error) {
    const why = describeError(error);
    tell({ type: 'warning', text: `metrics cannot be asked for at port ${expose.port}: ${why}` });
  }
}

windows.on('message', (window: Window) => {
  waiting.push(window);
  tell({ type: 'facts?' });
});

parentPort!.on('message', async (message: ToPush) => {
  if (message.type === 'facts') {
    take(message.facts, message.counts);
    return;
  }
  // The last ones were sent before this, but through another port.
  for (;;) {
    const received = receiveMessageOnPort(windows) as { message: Window } | undefined;
    if (!received) break;
    waiting.push(received.message);
  }
  windows.close();
  take(message.facts, message.counts);
  exposition?.close();
  const sent = sender ? await sender.finish(message.withinMs) : null;
  // Nobody renews it: what it says would look as if it still were so.
  if (textfile !== null) rmSync(textfile, { force: true });
  tell({ type: 'finished', sent });
  parentPort!.close();
});

function take(known: RunFacts, counts: Counts): void {
  for (const window of waiting) {
    newest = samplesOf(window, known, {
      ...counts,
      ...(sender && { pushDropped: sender.dropped }),
    });
    sender?.add(newest);
  }
  if (waiting.length > 0) show();
  waiting = [];
}

function show(): void {
  if (textfile === null || isTextfileBroken) return;
  try {
    writeTextfile(textfile, textExposition(newest));
  } catch (error) {
    isTextfileBroken = true;
    tell({ type: 'warning', text: `cannot write ${textfile}: ${describeError(error)}` });
  }
}
