import { useEffect, useState } from 'preact/hooks';
import type { MapHeader } from '../../../analyses/allocations/map/index.ts';
import type { Columns } from '../../../model/columns.ts';
import type { InputInfo } from '../../../model/inputs-info.ts';
import { isOneFile, store } from '../../store.ts';
import type { MapColumns } from './client.ts';
import type { TraceChoices } from './controls.tsx';

export interface LoadedMap extends MapColumns {
  readonly header: MapHeader & TraceChoices;
  readonly rows: number;
  /** Another one for other columns. */
  readonly number: number;
}

interface Loading {
  readonly loaded: LoadedMap | null;
  readonly error: string | null;
  cancel(): void;
}

let number = 0;

/** Asked for here and not through `useResource`: the columns are given away to a thread, and cannot be kept. */
export function useMapColumns(run: InputInfo, trace: string | undefined): Loading {
  const [state, setState] = useState<Omit<Loading, 'cancel'>>({ loaded: null, error: null });
  const [abort, setAbort] = useState<AbortController | null>(null);
  useEffect(() => {
    const controller = new AbortController();
    setAbort(controller);
    setState({ loaded: null, error: null });
    load(run.id, trace, controller.signal).then(
      (loaded) => !controller.signal.aborted && setState({ loaded, error: null }),
      (error: Error) =>
        setState({
          loaded: null,
          error: controller.signal.aborted ? 'given up' : error.message,
        }),
    );
    return () => controller.abort();
  }, [run.id, run.revision, trace]);
  return { ...state, cancel: () => abort?.abort() };
}

async function load(
  run: string,
  trace: string | undefined,
  signal: AbortSignal,
): Promise<LoadedMap> {
  // A one-file report carries a smaller form where the whole would be too much.
  const query = { trace, ...(isOneFile ? { small: 1 } : {}) };
  const path = `run/${run}/trace`;
  const [columns, times] = await Promise.all([
    store.get<Columns<MapHeader & TraceChoices>>(path, query, signal),
    store.get<Columns>(path, { ...query, part: 'times' }, signal),
  ]);
  const { header } = columns;
  return {
    columns,
    times: header.timed ? times : null,
    header,
    rows: columns.arrays.start!.length,
    number: number++,
  };
}
