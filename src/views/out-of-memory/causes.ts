import type { CauseJudgement, JudgedOom, OomCause } from '../../analyses/out-of-memory.ts';
import { formatBytes } from '../../base/bytes.ts';
import { printable } from '../../base/text.ts';
import type { Fact } from '../report/section.ts';

export interface CauseWords {
  /** For one line: `simply too large, by 1.20 GiB or more`. */
  readonly headline: string;
  /** Each cause with what the figures say of it. */
  readonly facts: readonly Fact[];
}

export function causeWords(oom: JudgedOom): CauseWords {
  const facts = oom.causes.map(
    (one): Fact => [one.judgement, `${NAMES[one.cause]}${why(oom, one)}`],
  );
  return {
    headline: headline(oom),
    facts: facts.length > 0 ? facts : [['not known', unsettled(oom)]],
  };
}

const NAMES: Readonly<Record<OomCause, string>> = {
  'too-large': 'simply too large',
  fragmentation: 'free memory in pieces',
  'other-process': 'other processes on the card',
  limit: 'a limit',
  'host-full': "all of the machine's memory in use",
  'shm-full': '/dev/shm full',
};

function headline(oom: JudgedOom): string {
  const { cause, missingBytes, limit, limitOf, asked, total } = oom;
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
      return `a limit was reached${limit === undefined ? '' : `, ${formatBytes(limit)}`}${limitOf ? ` (${printable(limitOf)})` : ''}`;
    case 'host-full':
      return "all of the machine's memory was in use";
    case 'shm-full':
      return 'it was full';
    case null:
      return unsettled(oom);
  }
}

/** One step further even memory in one piece is used up. */
export const isNearlyFull = ({ tensorShare }: JudgedOom): boolean => (tensorShare ?? 0) > 0.9;

const percent = (share: number) => `${Math.round(100 * share)} %`;

function unsettled(oom: JudgedOom): string {
  if (oom.unexplained) return 'it was killed, and nothing here says by whom';
  if (oom.freeWasEnough)
    return 'more was free than was asked for, so these figures do not explain it';
  const possible = oom.causes.filter(({ judgement }) => judgement === 'possible');
  if (possible.length === 0) return 'the text has no figures that say why';
  return `not settled by these figures (${possible.map(({ cause }) => NAMES[cause]).join(', or ')})`;
}

function why(oom: JudgedOom, { cause, judgement, roomBytes }: CauseJudgement): string {
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
      return room === null
        ? ''
        : `: ${room} may be used${oom.limitOf ? ` (${printable(oom.limitOf)})` : ''}`;
    case 'host-full':
      return judgement === 'excluded' && oom.source === 'kernel'
        ? ': the kernel says that a control group was full'
        : '';
    case 'shm-full':
      return '';
  }
}
