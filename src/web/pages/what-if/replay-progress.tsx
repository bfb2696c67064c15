import { useEffect, useState } from 'preact/hooks';
import type { WhatIfProgress } from '../../../analyses/allocations/what-if/progress.ts';
import { ProgressBar } from '../../parts/waiting.tsx';
import { isOneFile, type Query, queryText, store } from '../../store.ts';

/** How often it is asked for. */
const EVERY_MS = 250;

interface Props {
  readonly run: string;
  /** The question that is being answered. */
  readonly query: Query;
  cancel(): void;
}

/** Which settings are being replayed, and how far. */
export function ReplayProgress({ run, query, cancel }: Props) {
  const progress = useProgress(`run/${run}/what-if-progress`, query);
  return (
    <ProgressBar
      label="Replaying the trace …"
      share={progress?.share ?? null}
      words={progress ? wordsOf(progress) : ''}
      cancel={cancel}
    />
  );
}

function wordsOf({ conf, row, rows, probe, eventsDone, events }: WhatIfProgress): string {
  const which = `${conf} (${row} of ${rows})`;
  const share = Math.round((100 * eventsDone) / Math.max(1, events));
  const done = `${share} % of ${events.toLocaleString('en')} events`;
  return probe === null ? `${which}: ${done}` : `${which}, smallest limit, try ${probe}: ${done}`;
}

function useProgress(path: string, query: Query): WhatIfProgress | null {
  const [progress, setProgress] = useState<WhatIfProgress | null>(null);
  useEffect(() => {
    setProgress(null);
    if (isOneFile) return;
    let timer: ReturnType<typeof setTimeout>;
    const gone = new AbortController();
    const ask = async () => {
      // Whoever cannot say how far it is does not matter: the answer itself says what is wrong.
      const told = await store
        .get<{ progress: WhatIfProgress | null }>(path, query, gone.signal)
        .catch(() => null);
      if (gone.signal.aborted) return;
      setProgress(told?.progress ?? null);
      timer = setTimeout(ask, EVERY_MS);
    };
    timer = setTimeout(ask, EVERY_MS);
    return () => {
      gone.abort();
      clearTimeout(timer);
    };
  }, [path, queryText(query)]);
  return progress;
}
