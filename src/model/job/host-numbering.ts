import { UserError } from '../../base/errors.ts';
import type { GpuCard } from '../run.ts';
import type { JobPart } from './one-job.ts';

/** No process of Linux has a larger number, so that those of further hosts find room above. */
const PIDS_OF_A_HOST = 2 ** 22;
const MOST_HOSTS = 1000;

/** Pids and card numbers that are unique over the hosts of a job. */
export interface HostNumbering {
  readonly hosts: readonly string[];
  readonly cards: readonly GpuCard[];
  pid(part: JobPart, pid: number): number;
  gpu(part: JobPart, gpu: number): number;
  /** Whether a host's cards are taken from this recorder: all recorders there see the same. */
  reportsCards(part: JobPart): boolean;
}

export function hostNumbering(parts: readonly JobPart[]): HostNumbering {
  const hostOf = (part: JobPart) => part.recording.run.host.name;
  const hosts = [...new Set(parts.map(hostOf))];
  if (hosts.length > MOST_HOSTS) {
    throw new UserError(
      `a job of ${hosts.length} hosts, of which at most ${MOST_HOSTS} can be told apart`,
    );
  }
  const cardRecorders = hosts.map((host) =>
    parts
      .filter((part) => hostOf(part) === host)
      .reduce((a, b) => (gpuRows(b) > gpuRows(a) ? b : a)),
  );
  const firstCard: number[] = [];
  const cards: GpuCard[] = [];
  for (const [at, { recording }] of cardRecorders.entries()) {
    const first = cards.length;
    firstCard.push(first);
    const where = hosts.length > 1 ? `${hosts[at]}: ` : '';
    for (const card of recording.run.gpus) {
      const parent = card.parent === undefined ? {} : { parent: card.parent + first };
      cards.push({ ...card, ...parent, index: card.index + first, name: where + card.name });
    }
  }
  const indexOf = (part: JobPart) => hosts.indexOf(hostOf(part));
  return {
    hosts,
    cards,
    // 0 is no process.
    pid: (part, pid) => (pid === 0 ? 0 : pid + indexOf(part) * PIDS_OF_A_HOST),
    gpu: (part, gpu) => gpu + firstCard[indexOf(part)]!,
    reportsCards: (part) => cardRecorders[indexOf(part)] === part,
  };
}

const gpuRows = ({ recording }: JobPart) => recording.table('gpu').rows;
