import type { ReportFacts } from '../../report-facts.ts';

/** What is known of a card, beside the trace of the program's own allocator, when memory ran out. */
export interface CardThen {
  /** What other processes held; null: nobody was asked. */
  readonly others: Figure | null;
  /** What the program held beside torch's allocator: its context, libraries, NCCL; null: not known. */
  readonly context: (Figure & { readonly heldBytes: number }) | null;
  /** `--gpu-limit` of the recording: it plays a smaller card. */
  readonly playedLimit: Figure | null;
  /** The limit that the program set itself, as the message has it. */
  readonly ownLimit: Figure | null;
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
  const listed = listedCard(report);
  const figure = (bytes: number | undefined, where: string): Figure | null =>
    bytes === undefined ? null : { bytes, at: where };
  const reserved = oom!.reservedBytes;
  // The agent's own figure may not have come before the end; what the recorder was asked for is always there.
  const plays = played >= 0 || report.recording.labels.gpuLimit !== undefined;
  const limit = figure(message?.limit, `${at}/limit`);
  const process = figure(message?.process, `${at}/process`);
  return {
    others: strangers(figure(message?.others, `${at}/others`), listed),
    context: beyond(process, reserved) ?? beyond(listed?.tree ?? null, reserved),
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

/** The one card that the workload used; of several nobody knows which is the one that torch calls so. */
function listedCard({
  gpus,
}: ReportFacts): { others: Figure; tree: Figure; processes: number } | null {
  const used = gpus.filter(({ usedByTree, accounting }) => usedByTree && accounting);
  if (used.length !== 1) return null;
  const at = `/gpus/${gpus.indexOf(used[0]!)}/accounting`;
  const { otherBytes, treeBytes, processes } = used[0]!.accounting!;
  if (otherBytes === null || treeBytes === null) return null;
  return {
    others: { bytes: otherBytes, at: `${at}/otherBytes` },
    tree: { bytes: treeBytes, at: `${at}/treeBytes` },
    processes: processes.filter(({ ofTree }) => ofTree).length,
  };
}

type Listed = ReturnType<typeof listedCard>;

/** Of those that a message lists as others, some are the workload's own processes: the driver's list tells which. */
const isShared = (said: number | undefined, listed: Listed): boolean =>
  listed !== null && said !== undefined && listed.processes > 1 && listed.others.bytes < said;

const strangers = (said: Figure | null, listed: Listed): Figure | null =>
  said && !isShared(said.bytes, listed) ? said : (listed?.others ?? said);

/** What the driver counted for the program, at `at`, beyond what its allocator held. */
const beyond = (held: Figure | null, reserved: number): CardThen['context'] =>
  held && held.bytes > reserved
    ? { bytes: held.bytes - reserved, at: held.at, heldBytes: held.bytes }
    : null;
