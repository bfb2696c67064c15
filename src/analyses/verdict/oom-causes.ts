import { formatBytes } from '../../base/bytes.ts';
import type { OomFigures } from '../../model/out-of-memory.ts';
import type { Certainty } from '../../model/verdict.ts';
import type { CauseJudgement, OomCause, OomJudgement } from '../out-of-memory.ts';
import type { VerdictBuilder } from './builder.ts';

/** A message with what its figures prove. */
export type Judged = OomFigures & OomJudgement;

const NAMES: Readonly<Record<OomCause, string>> = {
  'too-large': 'simply too large',
  fragmentation: 'free memory in pieces',
  'other-process': 'other processes on the card',
  limit: 'a limit',
  'host-full': "all of the machine's memory in use",
  'shm-full': '/dev/shm full',
};

/** For one line: `simply too large, by 1.20 GiB or more`. */
export function causeWords(oom: Judged, words: VerdictBuilder): string {
  const { cause, missingBytes, limit, asked, total } = oom;
  switch (cause) {
    case 'too-large':
      if (asked !== undefined && total !== undefined && asked > total) {
        return `${formatBytes(asked)} were asked for, more than all ${formatBytes(total)} of it`;
      }
      if (total === undefined && asked !== undefined && missingBytes === null) {
        return `${formatBytes(asked)} were asked for, more than any card has: a broken size`;
      }
      return `simply too large${missingBytes ? `, by ${formatBytes(missingBytes)} or more` : ''}`;
    case 'fragmentation':
      return isNearlyFull(oom)
        ? `tensors alone held ${percent(oom.tensorShare!)} of it, and what was unused was in pieces`
        : 'enough was unused, but in pieces';
    case 'other-process':
      return 'other processes held what was missing';
    case 'limit':
      return `a limit was reached${limit === undefined ? '' : `, ${formatBytes(limit)}`}${limitOf(oom, words)}`;
    case 'host-full':
      return "all of the machine's memory was in use";
    case 'shm-full':
      return 'it was full';
    case null:
      return unsettled(oom);
  }
}

/**
 * What a limit, a size or the kernel's own word says leaves no other reading. That memory is in pieces, or was another's, is
 * reckoned from sums.
 */
const SURE: Readonly<Record<OomCause, Certainty>> = {
  'too-large': 'certain',
  limit: 'certain',
  'host-full': 'certain',
  'shm-full': 'certain',
  fragmentation: 'likely',
  'other-process': 'likely',
};

/** The cause as a verdict has it: the one that is shown, or the only one left. */
export function settledCause({ cause, causes, unexplained }: Judged): {
  code: OomCause | 'out-of-memory' | 'killed';
  certainty: Certainty;
} {
  if (cause) return { code: cause, certainty: SURE[cause] };
  if (unexplained) return { code: 'killed', certainty: 'unknown' };
  const possible = causes.filter(({ judgement }) => judgement === 'possible');
  return possible.length === 1
    ? { code: possible[0]!.cause, certainty: 'possible' }
    : { code: 'out-of-memory', certainty: 'certain' };
}

/** Each cause with what the figures say of it, at `at` in the result: what is shown or excluded speaks for the verdict. */
export function addCauses(oom: Judged, at: string, words: VerdictBuilder): void {
  const { code } = settledCause(oom);
  for (const [i, one] of oom.causes.entries()) {
    const text = `${NAMES[one.cause]}${why(oom, one, words)}`;
    const where = `${at}/causes/${i}/roomBytes`;
    const doubt = one.judgement === 'possible' && one.cause !== code;
    if (doubt) words.against(where, 'bytes', `possible: ${text}`);
    else words.evidence(where, 'bytes', `${one.judgement}: ${text}`);
  }
}

/** One step further even memory in one piece is used up. */
export const isNearlyFull = ({ tensorShare }: Judged): boolean => (tensorShare ?? 0) > 0.9;

const percent = (share: number) => `${Math.round(100 * share)} %`;
const limitOf = (oom: Judged, words: VerdictBuilder) =>
  oom.limitOf ? ` (${words.theirs('limit_of', oom.limitOf)})` : '';

export function unsettled(oom: Judged): string {
  if (oom.unexplained) return 'it was killed, and nothing here says by whom';
  if (oom.freeWasEnough)
    return 'more was free than was asked for, so these figures do not explain it';
  const possible = oom.causes.filter(({ judgement }) => judgement === 'possible');
  if (possible.length === 0) return 'the text has no figures that say why';
  return `not settled by these figures (${possible.map(({ cause }) => NAMES[cause]).join(', or ')})`;
}

function why(
  oom: Judged,
  { cause, judgement, roomBytes }: CauseJudgement,
  words: VerdictBuilder,
): string {
  const { asked = 0, missingBytes: missing, free = 0 } = oom;
  const room = roomBytes === null ? null : formatBytes(roomBytes);
  switch (cause) {
    case 'too-large':
      if (room === null) return '';
      return judgement === 'shown'
        ? `: ${formatBytes(asked)} asked for, and ${room} would be all, with every unused byte and nobody else there`
        : `: with all that was unused, and nobody else there, ${room} would have done for the ${formatBytes(asked)}`;
    case 'fragmentation':
      if (judgement === 'shown')
        return `: the allocator kept ${room} that no tensor used, and ${formatBytes(asked)} were asked for`;
      if (judgement === 'possible')
        return `: ${room} kept unused and ${formatBytes(free)} free would have done only together`;
      return `: only ${room} were kept unused`;
    case 'other-process':
      if (judgement === 'excluded')
        return missing === 0
          ? ': nothing was missing'
          : `: they held ${room} at most, and ${formatBytes(missing ?? 0)} were missing`;
      return `: they held ${judgement === 'shown' ? '' : 'at most '}${room}, and ${formatBytes(missing ?? 0)} were missing`;
    case 'limit':
      if (judgement === 'excluded') return ': the message would name it';
      return room === null ? '' : `: ${room} may be used${limitOf(oom, words)}`;
    case 'host-full':
      return judgement === 'excluded' && oom.source === 'kernel'
        ? ': the kernel says that a control group was full'
        : '';
    case 'shm-full':
      return '';
  }
}
