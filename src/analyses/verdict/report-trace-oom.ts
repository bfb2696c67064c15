import { formatBytes } from '../../base/bytes.ts';
import { deviceName } from '../../model/allocations/device-name.ts';
import type { CauseStatement } from '../allocations/failure/ranked-cause.ts';
import type { FailedRequest } from '../allocations/oom.ts';
import type { ReportFacts } from '../report-facts.ts';
import type { VerdictBuilder } from './builder.ts';
import { cardThen } from './failure/card.ts';
import { certaintyOf, POSSIBLE } from './failure/words.ts';
import type { Found } from './found.ts';
import { fixWords } from './trace-words.ts';

/** Why a request failed, by the allocator's own trace and what was measured beside it. */
export function addTraceOom(report: ReportFacts, index: number, words: VerdictBuilder): Found {
  const device = report.devices[index]!;
  const oom = device.oom!;
  const at = `/devices/${index}/oom`;
  const add = (key: keyof FailedRequest & string, what: string) =>
    words.evidence(`${at}/${key}`, 'bytes', what);
  add(
    'requestedBytes',
    `${formatBytes(oom.requestedBytes)} asked for on ${deviceName(device.device)}`,
  );
  addLimit(report, index, words);
  addCauses(oom, words);
  add('liveBytes', `${formatBytes(oom.liveBytes)} were in use by the program`);
  add('deviceFreeBytes', `${formatBytes(oom.deviceFreeBytes)} of the device were free`);
  if (oom.where !== null) {
    words.evidence(`${at}/where`, null, `asked for by ${words.theirs('asked_by', oom.where, 120)}`);
  }
  for (const fix of oom.fixes) {
    const { bytes, enough, outcome, margin } = fix;
    words.fix(fix.id, fixWords(fix, words), { low: 0, high: bytes }, enough, { outcome, margin });
  }
  if (report.recording.argv.length > 0) {
    words.next('after a change: whether it still runs out', 'record', '--', '{command}');
  } else words.next('lines and stacks, device by device', 'report', '{input}', '--json');
  return causeOf(report, index, words);
}

/** `--gpu-limit` plays a smaller card: a circumstance, not what filled it. */
function addLimit(report: ReportFacts, index: number, words: VerdictBuilder): void {
  const { playedLimit } = cardThen(report, index);
  if (!playedLimit || !report.devices[index]!.oom!.limited) return;
  words.evidence(
    playedLimit.at,
    'bytes',
    `the recording's own --gpu-limit played a card with ${formatBytes(playedLimit.bytes)} for torch`,
  );
}

function addCauses({ causes }: FailedRequest, words: VerdictBuilder): void {
  const filled = ({ at, unit, statement, texts = {} }: CauseStatement) => {
    const told = statement.replace(/\{(\w+)\}/g, (all, name: string) =>
      Object.hasOwn(texts, name) ? words.theirs(name, texts[name]!, 120) : all,
    );
    return [at, unit, told] as const;
  };
  for (const [i, cause] of causes.entries()) {
    const [evidence, against] = [cause.evidence.map(filled), cause.against.map(filled)];
    words.cause(cause, evidence, against);
    if (i > 0) continue;
    for (const one of evidence) words.evidence(...one);
    for (const one of against) words.against(...one);
  }
}

function causeOf(report: ReportFacts, index: number, words: VerdictBuilder): Found {
  const oom = report.devices[index]!.oom!;
  const [first] = oom.causes;
  if (!oom.limited && cardThen(report, index).others === null) {
    words.against(
      `/devices/${index}/oom/deviceFreeBytes`,
      'bytes',
      'what other processes held of the device is not told by a trace',
    );
  }
  if (!first || first.certainty < POSSIBLE) return { code: 'out-of-memory', certainty: 'certain' };
  const told = first.id === 'limit' && first.against.length === 0;
  return { code: first.id, certainty: told ? 'certain' : certaintyOf(first.certainty) };
}
