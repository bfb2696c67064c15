import { count } from '../../../base/text.ts';
import { SECOND_NS } from '../../../base/time.ts';
import { windowsOf } from '../../../metrics/history.ts';
import { factsOf, samplesOf } from '../../../metrics/samples.ts';
import { type Credentials, credentialsFrom } from '../../../metrics/send/credentials.ts';
import { PATIENCE, Sender, type Sent } from '../../../metrics/send/sender.ts';
import { type Target, targetOf } from '../../../metrics/send/target.ts';
import { lossLine, remedyFor } from '../../../metrics/send/words.ts';
import type { Recording } from '../../../model/recording.ts';
import { PUSH_SECONDS } from '../../../record/push/settings.ts';
import { show, tell } from '../../output/terminal.ts';
import { eachRun } from '../store/each-run.ts';
import type { PushTarget } from './target.ts';

/** A server that takes nothing for so long will not take the rest either. */
const QUIET_MS = 30_000;
const OF_HISTORY = { ...PATIENCE, queued: Number.POSITIVE_INFINITY, firstMs: 500, mostMs: 10_000 };
/** Values that wait at once. */
const PORTION = 20_000;

/** Prometheus, VictoriaMetrics and what takes OTLP: metrics as they were sent while it ran, or would have been. */
export const metricsServer: PushTarget = {
  address: 'http://host:9090/api/v1/write',
  takes: (url) => /^https?:\/\//.test(url),
  push: pushHistory,
};

async function pushHistory(inputs: readonly string[], url: string): Promise<number> {
  const target = targetOf(url);
  const credentials = credentialsFrom(process.env);
  let [values, failed] = [0, 0];
  const { stored, skipped } = await eachRun(
    inputs,
    'Pushing',
    async ({ recording }, path) => {
      const sent = await pushRecording(recording, target, credentials);
      values += sent.sent;
      const loss = lossLine(target.shown, sent, givenUp(sent));
      if (loss) tell(`highwater: ${path}: ${loss}\n`);
      if (loss) failed++;
    },
    // A window has a peak of its own, which a fold over longer stretches would lose.
    Number.POSITIVE_INFINITY,
  );
  show(`${target.shown}\n`);
  tell(`${count(stored - failed, 'run')}, ${count(values, 'value')}\n`);
  return skipped + failed > 0 ? 1 : 0;
}

/** Why values were left. */
const givenUp = ({ refused, unknown }: Sent) =>
  refused + unknown > 0 ? 'after that' : `as it took nothing for ${QUIET_MS / 1000} s`;

/** What is refused at first will be refused to the end, so the rest is not tried. */
async function pushRecording(
  recording: Recording,
  target: Target,
  credentials: Credentials,
): Promise<Sent> {
  const { run } = recording;
  const facts = factsOf(run);
  const sender = new Sender(
    target,
    credentials,
    (problem) => tell(`highwater: ${target.shown}: ${problem}${remedyFor(problem)}\n`),
    OF_HISTORY,
  );
  for (const window of windowsOf(recording, PUSH_SECONDS * SECOND_NS)) {
    sender.add(samplesOf(window, facts));
    if (sender.waiting < PORTION) continue;
    await sender.drain(QUIET_MS);
    if (sender.waiting > 0 || sender.dropped + sender.unknown > 0) break;
  }
  await sender.drain(QUIET_MS);
  return sender.finish(0);
}
