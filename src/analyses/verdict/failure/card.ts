import type { GpuProcess } from '../../gpu/index.ts';
import type { ReportFacts } from '../../report-facts.ts';

/** What is known of a card, beside the trace of the program's own allocator, when memory ran out. */
export interface CardThen {
  /** What other processes held; null: nobody was asked. */
  readonly others: Figure | null;
  /** What the program held beside torch's allocator: its context, libraries, NCCL; null: not known. */
  readonly context: (Figure & { readonly heldBytes: number }) | null;
  /** What further processes of the workload's own held; null: there are none, or nobody listed them. */
  readonly siblings: Siblings | null;
  /** What the card has beyond the slice of it (MIG) that the workload was given; null: it had a whole card, or nobody was asked. */
  readonly beyondSlice: Slice | null;
  /** `--gpu-limit` of the recording: it plays a smaller card. */
  readonly playedLimit: Figure | null;
  /** The limit that the program set itself, as the message has it. */
  readonly ownLimit: Figure | null;
}

export interface Slice extends Figure {
  readonly sliceBytes: number;
  readonly cardBytes: number;
}

export interface Siblings extends Figure {
  readonly processes: number;
  /** Of these bytes, what no allocator of torch's had: contexts and libraries. */
  readonly contextBytes: number;
}

export interface Figure {
  readonly bytes: number;
  /** Where it stands in the result. */
  readonly at: string;
}

export function cardThen(report: ReportFacts, index: number): CardThen {
  const { device, oom } = report.devices[index]!;
  const said = report.outOfMemory.findLastIndex(
    ({ place, gpu }) => place === 'gpu' && (gpu === undefined || gpu === device),
  );
  const message = report.outOfMemory[said];
  const at = `/outOfMemory/${said}`;
  const played = report.inside.gpuLimits.findIndex((one) => one.device === device);
  const listed = listedCard(report, message?.process ?? null);
  const figure = (bytes: number | undefined, where: string): Figure | null =>
    bytes === undefined ? null : { bytes, at: where };
  const reserved = oom!.reservedBytes;
  // The agent's own figure may not have come before the end; what the recorder was asked for is always there.
  const plays = played >= 0 || report.recording.labels.gpuLimit !== undefined;
  const limit = figure(message?.limit, `${at}/limit`);
  const process = figure(message?.process, `${at}/process`);
  return {
    others: strangers(figure(message?.others, `${at}/others`), listed),
    context: beyond(process ?? listed?.asking ?? null, reserved),
    siblings: listed?.siblings ?? null,
    beyondSlice: plays || oom!.limited ? null : beyondSlice(report),
    playedLimit:
      played < 0
        ? plays
          ? limit
          : null
        : figure(
            report.inside.gpuLimits[played]!.allowedBytes,
            `/inside/gpuLimits/${played}/allowedBytes`,
          ),
    ownLimit: plays ? null : limit,
  };
}

interface ListedCard {
  readonly others: Figure;
  /** The workload's process that most likely asked: the one that has most. */
  readonly asking: Figure | null;
  readonly siblings: Siblings | null;
}

/** The one card that the workload used; of several nobody knows which is the one that torch calls so. */
function listedCard({ gpus }: ReportFacts, held: number | null): ListedCard | null {
  const used = gpus.filter(({ usedByTree, accounting }) => usedByTree && accounting);
  if (used.length !== 1) return null;
  const at = `/gpus/${gpus.indexOf(used[0]!)}/accounting`;
  const { otherBytes, treeBytes, processes } = used[0]!.accounting!;
  if (otherBytes === null || treeBytes === null) return null;
  const own = [...processes.entries()].filter(([, { ofTree, bytes }]) => ofTree && bytes !== null);
  const away = ([, { bytes }]: (typeof own)[number]) => Math.abs(bytes! - (held ?? treeBytes));
  const [asking, ...siblings] = own.sort((a, b) => away(a) - away(b));
  const sum = (of: (process: GpuProcess) => number) =>
    siblings.reduce((all, [, process]) => all + of(process), 0);
  return {
    others: { bytes: otherBytes, at: `${at}/otherBytes` },
    asking: asking ? { bytes: asking[1].bytes!, at: `${at}/processes/${asking[0]}/bytes` } : null,
    siblings:
      siblings.length === 0
        ? null
        : {
            bytes: sum(({ bytes }) => bytes!),
            contextBytes: sum(({ bytes, torchBytes }) =>
              Math.max(0, bytes! - (torchBytes ?? bytes!)),
            ),
            processes: siblings.length,
            at: `${at}/treeBytes`,
          },
  };
}

export interface SliceInUse {
  readonly bytes: number;
  /** Of the card that it is cut from; null where the driver does not tell. */
  readonly cardBytes: number | null;
  /** Where it stands in the result. */
  readonly at: string;
}

/** Only where all that the workload used is one slice is it known to be the one that was full. */
export function sliceInUse({ gpus }: ReportFacts): SliceInUse | null {
  const [slice, ...more] = gpus.filter(({ usedByTree }) => usedByTree);
  if (!slice?.memoryBytes || !slice.sliceOf || more.length > 0) return null;
  const { memoryBytes: bytes, sliceOf } = slice;
  return { bytes, cardBytes: sliceOf.memoryBytes, at: `/gpus/${gpus.indexOf(slice)}` };
}

function beyondSlice(report: ReportFacts): Slice | null {
  const slice = sliceInUse(report);
  if (!slice || slice.cardBytes === null) return null;
  const { bytes: sliceBytes, cardBytes } = slice;
  const at = `${slice.at}/sliceOf/memoryBytes`;
  return cardBytes > sliceBytes
    ? { bytes: cardBytes - sliceBytes, sliceBytes, cardBytes, at }
    : null;
}

type Listed = ListedCard | null;

/** Of those that a message lists as others, some are the workload's own processes: the driver's list tells which. */
const isShared = (said: number | undefined, listed: Listed): boolean =>
  listed?.siblings != null && said !== undefined && listed.others.bytes < said;

const strangers = (said: Figure | null, listed: Listed): Figure | null =>
  said && !isShared(said.bytes, listed) ? said : (listed?.others ?? said);

/** What the driver counted for the program, at `at`, beyond what its allocator held. */
const beyond = (held: Figure | null, reserved: number): CardThen['context'] =>
  held && held.bytes > reserved
    ? { bytes: held.bytes - reserved, at: held.at, heldBytes: held.bytes }
    : null;
