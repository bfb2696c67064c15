import { answer, NotFound } from '../answers/answer.ts';
import { replayAnswers } from '../answers/replays/answers.ts';
import { describeError, UserError } from '../base/errors.ts';
import type { FromViewerWorker, ToViewerWorker } from './messages.ts';
import { OpenedFiles } from './opened-files.ts';
import { REPLAYS, WebReplayThread } from './web-replay-thread.ts';

// Reads and analyses, so that the page itself answers the reader's hands at once.
const scope = self as unknown as DedicatedWorkerGlobalScope;
if (scope.name === REPLAYS) {
  scope.onmessage = ({ data: port }: MessageEvent<MessagePort>) => {
    const take = replayAnswers((message) => port.postMessage(message));
    port.onmessage = ({ data }) => take(data);
  };
} else serveQuestions();

function serveQuestions(): void {
  const say = (message: FromViewerWorker, move: Transferable[] = []) =>
    scope.postMessage(message, move);
  const opened = new OpenedFiles(
    (info) => say({ type: 'inputs', info }),
    () => new WebReplayThread(say),
  );
  const underWay = new Map<number, AbortController>();
  scope.onmessage = async ({ data }: MessageEvent<ToViewerWorker>) => {
    if (data.type === 'open') return opened.open(data.files);
    if (data.type === 'drop') return underWay.get(data.id)?.abort();
    const { id, path, query } = data;
    const asker = new AbortController();
    underWay.set(id, asker);
    try {
      // Those that were given up while they waited in line cost nothing.
      await new Promise((next) => setTimeout(next));
      asker.signal.throwIfAborted();
      const found = await answer(opened, path, query, asker.signal);
      say({ type: 'answer', id, answer: found }, [found.bytes.buffer]);
    } catch (error) {
      if (asker.signal.aborted) return;
      const status = error instanceof NotFound ? 404 : error instanceof UserError ? 400 : 500;
      say({ type: 'failure', id, status, message: describeError(error) });
    } finally {
      underWay.delete(id);
    }
  };
}
