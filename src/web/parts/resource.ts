import { useEffect, useRef, useState } from 'preact/hooks';
import { type Query, queryText, store } from '../store.ts';

/** One question on its way. While a newer answer is fetched, the older one stays to be looked at, if it is of the same thing. */
export interface Fetched<T> {
  readonly value: T | null;
  readonly error: string | null;
  readonly loading: boolean;
  /** Gives up waiting. */
  cancel(): void;
}

/**
 * Asks the store, and again whenever the question changes or the run's data does (in a live run).
 * `path` null asks nothing.
 */
export function useResource<T>(path: string | null, query: Query = {}): Fetched<T> {
  const question = path === null ? null : `${path}${queryText(query)}`;
  const revision = path === null ? 0 : revisionOf(path);
  const [known] = useState(() => (path === null ? undefined : store.known<T>(path, query)));
  const [state, setState] = useState<{ of: string | null; value: T | null; error: string | null }>({
    of: path,
    value: known ?? null,
    error: null,
  });
  const [loading, setLoading] = useState(question !== null && known === undefined);
  const isKnown = useRef(known !== undefined);
  const abort = useRef<AbortController | null>(null);
  useEffect(() => {
    if (path === null) {
      setLoading(false);
      return;
    }
    if (isKnown.current) {
      isKnown.current = false;
      return;
    }
    const controller = new AbortController();
    abort.current = controller;
    setLoading(true);
    store
      .get<T>(path, query, controller.signal)
      .then((value) => {
        if (controller.signal.aborted) return;
        setState({ of: path, value, error: null });
        setLoading(false);
      })
      .catch((error: Error) => {
        if (controller.signal.aborted) return;
        setState((old) => ({
          of: path,
          value: old.of === path ? old.value : null,
          error: error.message,
        }));
        setLoading(false);
      });
    return () => controller.abort();
  }, [question, revision]);
  // What was answered of another run would be taken for this one's.
  const isOther = state.of !== path;
  return {
    value: isOther ? null : state.value,
    error: isOther ? null : state.error,
    loading: loading || (isOther && question !== null),
    cancel: () => {
      abort.current?.abort();
      setLoading(false);
      setState((old) => ({ ...old, error: 'given up' }));
    },
  };
}

/** The sum over all runs for questions about all inputs. */
function revisionOf(path: string): number {
  const runs = store.inputs.value?.runs ?? [];
  const [scope, id] = path.split('/');
  if (scope === 'run') return runs.find((run) => run.id === id)?.revision ?? 0;
  return runs.reduce((sum, run) => sum + run.revision, 0);
}
