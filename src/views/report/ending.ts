import type { Report } from '../../analyses/report.ts';
import { formatBytes } from '../../base/bytes.ts';
import { printable } from '../../base/text.ts';
import { formatDuration } from '../../base/time.ts';
import { deviceName } from '../../model/allocations/device-name.ts';
import type { Fact, Tile } from './section.ts';
import { ranOutFacts, tracedFacts } from './verdict.ts';

/** How it ended, as name and value; nothing where there was no workload to end. */
export function endingFacts(report: Report): Fact[] {
  const { ending, recording } = report;
  if (ending.how === 'watched' || ending.how === 'imported') return [];
  const facts: Fact[] = [];
  const traced = tracedFacts(report.verdict);
  if (ending.how === 'cut-off') facts.push(['exit', 'not seen']);
  else if (ending.signal) facts.push(['exit', `signal ${printable(ending.signal)}`]);
  else facts.push(['exit', `code ${ending.code ?? 'unknown'}`]);
  if (ending.endedBy) facts.push(['ended by', printable(`Highwater: ${ending.endedBy}`)]);
  if (ending.how !== 'cut-off') {
    const killed = ending.oomKilled === null ? 'unknown' : ending.oomKilled ? 'yes' : 'no';
    const evidence = ending.oomEvidence ? ` (${printable(ending.oomEvidence)})` : '';
    facts.push(['out-of-memory kill', killed + evidence]);
  }
  for (const { seconds, lines } of ending.oomMessages) {
    const [what = '', ...meaning] = lines.map(printable);
    facts.push(['ran out of memory', `at ${formatDuration(seconds)}: ${what}`]);
    // What a message alone lets one suppose gives way to what the trace shows.
    if (traced.length === 0) for (const sentence of meaning) facts.push(['', sentence]);
  }
  facts.push(...traced);
  for (const { seconds, lines } of ending.hearsay) {
    const what = printable(lines[0] ?? '');
    facts.push(['said in its output', `at ${formatDuration(seconds)}: ${what}; not of this run`]);
  }
  facts.push(...ranOutFacts(report.verdict));
  // What memory that ran out left behind is told above, in fewer words.
  if (ending.oomMessages.length === 0) {
    ending.lastOutput.forEach((line, i) => {
      facts.push([i === 0 ? 'said last' : '', printable(line)]);
    });
  }
  const { stopped } = report.trust;
  const duration = formatDuration(recording.durationSeconds);
  if (stopped) facts.unshift(['incomplete', printable(`recorded for ${duration}: ${stopped.why}`)]);
  else facts.push(['duration', duration]);
  return facts;
}

/** Whether memory ran out; and how it ended, where that was no good end. */
export function endingTiles(report: Report, live: boolean): Tile[] {
  if (live) return [running(report)];
  return [outOfMemory(report), ...crash(report)];
}

const TITLE = 'Out of memory';

function running({ recording }: Report): Tile {
  const detail = `${formatDuration(recording.durationSeconds)} so far`;
  return { title: TITLE, value: 'Not yet', detail, tone: 'plain', opens: 'ending' };
}

function outOfMemory({ ending, devices }: Report): Tile {
  const ranOut = (detail: string, opens: string): Tile => ({
    title: TITLE,
    value: 'Yes',
    detail: printable(detail),
    tone: 'bad',
    opens,
  });
  const device = devices.find(({ oom }) => oom !== null);
  const message = ending.oomMessages.at(-1)?.lines[0];
  if (device?.oom) {
    const asked = `${formatBytes(device.oom.requestedBytes)} asked for on ${deviceName(device.device)}`;
    return ranOut(`${asked}, ${formatBytes(device.oom.deviceFreeBytes)} free`, 'oom');
  }
  if (message) return ranOut(message, 'ending');
  if (ending.oomKilled) return ranOut(ending.oomEvidence, 'ending');
  const opens = 'ending';
  if (ending.how === 'well') {
    return { title: TITLE, value: 'No', detail: 'ended well', tone: 'good', opens };
  }
  const surely = ending.oomKilled === false || ending.how === 'imported';
  const detail = {
    failed: 'no line of its output says so',
    killed: surely ? 'the kernel killed nothing of it' : 'nothing tells who killed it',
    ended: printable(`ended by Highwater: ${ending.endedBy}`),
    'cut-off': 'no end was recorded',
    watched: 'still running at the end',
    imported: 'none in the file',
  }[ending.how];
  return { title: TITLE, value: surely ? 'No' : 'Not seen', detail, tone: 'plain', opens };
}

/** A program that crashed says so in large letters, whatever memory did. */
function crash({ ending, recording, trust, verdict }: Report): Tile[] {
  if (ending.how !== 'failed' && ending.how !== 'killed') return [];
  const value =
    ending.how === 'killed'
      ? `Killed by ${printable(ending.signal ?? 'a signal')}`
      : `Exit code ${ending.code ?? 'unknown'}`;
  const when = trust.stopped ? 'later' : `after ${formatDuration(recording.durationSeconds)}`;
  const last = ending.oomMessages.length === 0 ? ending.lastOutput.at(-1) : undefined;
  const said = last === undefined ? '' : `: ${printable(last.trim())}`;
  const why = verdict.cause.code === 'failed' ? '; nothing shows that memory was why' : '';
  return [{ title: 'Crash', value, detail: `${when}${said}${why}`, tone: 'bad', opens: 'ending' }];
}
