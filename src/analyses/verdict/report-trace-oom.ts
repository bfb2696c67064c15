import { formatBytes } from '../../base/bytes.ts';
import { deviceName } from '../../model/allocations/device-name.ts';
import { categoryPlural } from '../../model/allocations/words.ts';
import type { FailedRequest } from '../allocations/oom.ts';
import { judgeFigures } from '../out-of-memory.ts';
import type { ReportFacts } from '../report-facts.ts';
import type { VerdictBuilder } from './builder.ts';
import type { Found } from './found.ts';
import { fixWords } from './trace-words.ts';

/** Why a request failed, by the allocator's own trace. */
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
  add('deviceFreeBytes', `${formatBytes(oom.deviceFreeBytes)} of the device were free`);
  add('liveBytes', `${formatBytes(oom.liveBytes)} were in use by the program`);
  add(
    'unusableBytes',
    `${formatBytes(oom.unusableBytes)} were reserved and of no use for this request`,
  );
  if (oom.where !== null) {
    words.evidence(`${at}/where`, null, `asked for by ${words.theirs('asked_by', oom.where, 120)}`);
  }
  const [most] = oom.categories;
  if (most) {
    words.evidence(
      `${at}/categories/0/bytes`,
      'bytes',
      `most of it: ${categoryPlural(most.category)}, ${formatBytes(most.bytes)}`,
    );
  }
  for (const fix of oom.fixes) {
    // Reckoned, not tried: it frees this much at most.
    words.fix(fix.id, fixWords(fix, words), { low: 0, high: fix.bytes }, fix.enough);
  }
  if (report.recording.argv.length > 0) {
    words.next('after a change: whether it still runs out', 'record', '--', '{command}');
  } else words.next('lines and stacks, device by device', 'report', '{input}', '--json');
  return cause(report, index, words);
}

function cause(report: ReportFacts, index: number, words: VerdictBuilder): Found {
  const { oom, leak, device } = report.devices[index]!;
  const { limited, requestedBytes, deviceFreeBytes, liveBytes, reservedBytes, fixes } = oom!;
  const at = `/devices/${index}`;
  const kept = fixes.find(({ id }) => id === 'keep-no-tensors');
  if (leak.verdict === 'leak' && kept?.enough) {
    words.evidence(
      `${at}/leak/requestedPerStep`,
      'bytes/step',
      `live memory grew by ${formatBytes(leak.requestedPerStep!)} a step over ${leak.steps} steps`,
    );
    if (limited)
      words.against(`${at}/oom/limited`, null, 'a limit was in force: without it, later');
    return { code: 'leak', certainty: 'likely' };
  }
  if (limited) {
    const set = report.inside.gpuLimits.findIndex((one) => one.device === device);
    const said = report.outOfMemory.findLastIndex(({ limit }) => limit !== undefined);
    if (set >= 0) {
      words.evidence(`/inside/gpuLimits/${set}/allowedBytes`, 'bytes', 'the limit that was set');
    } else if (said >= 0) {
      words.evidence(`/outOfMemory/${said}/limit`, 'bytes', 'the limit, as the message has it');
    } else {
      words.against(
        `${at}/oom/limited`,
        null,
        'the limit itself was not seen: it is inferred, as enough was free',
      );
    }
    return { code: 'limit', certainty: set >= 0 || said >= 0 ? 'certain' : 'likely' };
  }
  const unused = reservedBytes - liveBytes;
  const judged = judgeFigures({
    source: 'torch',
    place: 'gpu',
    asked: requestedBytes,
    free: deviceFreeBytes,
    allocated: liveBytes,
    reservedUnused: unused,
  });
  if (judged.cause === 'fragmentation') return { code: 'fragmentation', certainty: 'likely' };
  words.against(
    `${at}/oom/deviceFreeBytes`,
    'bytes',
    'what other processes held of the device is not told by a trace',
  );
  return unused + deviceFreeBytes < requestedBytes
    ? { code: 'too-large', certainty: 'possible' }
    : { code: 'out-of-memory', certainty: 'certain' };
}
