import { useEffect, useState } from 'preact/hooks';
import type { FoundRecordings, ListedVerdict } from '../../analyses/listed-run.ts';
import { formatBytes } from '../../base/bytes.ts';
import { count } from '../../base/text.ts';
import { formatDuration, localTime } from '../../base/time.ts';
import type { InputsInfo } from '../../model/inputs-info.ts';
import { verdictWord } from '../../views/run-list.ts';
import { openPage, setState } from '../address.ts';
import type { Page } from '../pages/page.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { useResource } from '../parts/resource.ts';
import { Awaited, ErrorBox, ProgressBar } from '../parts/waiting.tsx';
import { store } from '../store.ts';
import { DropHint } from './taken-files.tsx';

/** Each is opened for its peak, which takes a moment. */
const USUAL = 20;

type Found = FoundRecordings['recordings'][number];

/** What is known of one by now; an error where it cannot be read. */
type Look = ListedVerdict | { readonly error: string };

interface Row extends Found {
  readonly look: Look | undefined;
}

/** The recordings that lie here, the newest first; a click opens one. */
export function Home({ sort }: { sort: string | undefined }) {
  const found = useResource<FoundRecordings>('job/recordings');
  return (
    <main class="page home" aria-label="Recordings">
      <h1 class="headline">Recordings</h1>
      <Awaited what="list of recordings" fetched={found}>
        {({ places, recordings }) =>
          recordings.length === 0 ? (
            <section class="empty">
              <p>No recordings in {places.slice(0, 3).join(', ')}.</p>
              <p>
                To make one: <code>highwater record -- python train.py</code>
              </p>
            </section>
          ) : (
            <RecordingTable recordings={recordings} sort={sort} />
          )
        }
      </Awaited>
      <DropHint />
    </main>
  );
}

function RecordingTable(props: { recordings: readonly Found[]; sort: string | undefined }) {
  const { recordings, sort } = props;
  const [most, setMost] = useState(USUAL);
  const shown = recordings.slice(0, most);
  const looks = useLooks(shown.map(({ path }) => path));
  const [asked, setAsked] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  const open = async ({ path }: Row) => {
    setError(null);
    setAsked(path);
    try {
      setState({ opened: await store.openHere!(path) }, 'push');
    } catch (reason) {
      setError((reason as Error).message);
    }
    setAsked(null);
  };
  const rows = shown.map((one): Row => ({ ...one, look: looks.get(one.path) }));
  const left = recordings.length - shown.length;
  return (
    <>
      {error && <ErrorBox title="Not opened." text={error} />}
      {asked && <ProgressBar label={`Opening ${asked.slice(-200)} …`} />}
      <DataTable
        label="recordings"
        columns={COLUMNS}
        rows={rows}
        sort={sort}
        onSort={(next) => setState({ sort: next })}
        keyOf={({ path }) => path}
        selected={asked ?? undefined}
        onSelect={(row) => void open(row)}
      />
      {left > 0 && (
        <button type="button" class="more" onClick={() => setMost(most + 5 * USUAL)}>
          Show {count(left, 'older one')}
        </button>
      )}
    </>
  );
}

const known = ({ look }: Row): ListedVerdict | null => (look && !('error' in look) ? look : null);

const COLUMNS: readonly Column<Row>[] = [
  {
    key: 'name',
    head: 'Name',
    value: ({ name }) => name,
    cell: ({ name, path }) => (
      <bdi class="name" title={path}>
        {name.slice(0, 200)}
      </bdi>
    ),
  },
  {
    key: 'started',
    head: 'Started',
    figure: false,
    value: ({ started }) => started,
    cell: ({ started }) => localTime(new Date(started)),
  },
  {
    key: 'lasted',
    head: 'Lasted',
    figure: true,
    value: (row) => known(row)?.durationSeconds ?? null,
    cell: (row) => {
      const run = known(row);
      return run ? formatDuration(run.durationSeconds) : '…';
    },
  },
  {
    key: 'peak',
    head: 'Peak',
    figure: true,
    value: (row) => known(row)?.peak?.bytes ?? null,
    cell: (row) => {
      const run = known(row);
      return run?.peak ? formatBytes(run.peak.bytes) : run ? '–' : '…';
    },
  },
  {
    key: 'verdict',
    head: 'Verdict',
    value: ({ look }) => (look ? wordOf(look).word : null),
    cell: ({ look }) => {
      if (!look) return '…';
      const { word, tone } = wordOf(look);
      return (
        <span class={`verdict-word ${tone}`} title={'error' in look ? look.error : undefined}>
          {word}
        </span>
      );
    },
  },
];

const wordOf = (look: Look) =>
  'error' in look ? { word: 'cannot be read', tone: 'bad' as const } : verdictWord(look);

/** One after the other, the newest first: each takes a moment to read. */
function useLooks(paths: readonly string[]): ReadonlyMap<string, Look> {
  const [looks, setLooks] = useState<ReadonlyMap<string, Look>>(new Map());
  useEffect(() => {
    const given = new AbortController();
    const read = async () => {
      for (const path of paths) {
        if (given.signal.aborted) return;
        if (looks.has(path)) continue;
        const look = await store
          .get<ListedVerdict>('job/recordings', { path }, given.signal)
          .catch((error: Error) => ({ error: error.message }));
        if (given.signal.aborted) return;
        setLooks((before) => new Map(before).set(path, look));
      }
    };
    void read();
    return () => given.abort();
  }, [paths.join('\n')]);
  return looks;
}

/** What was opened by a click or a drop is looked at once it is there. */
export function useOpened(
  inputs: InputsInfo,
  opened: string | undefined,
  pages: readonly Page[],
): void {
  const run = inputs.runs.find(({ id, status }) => id === opened && status === 'open');
  useEffect(() => {
    if (!run) return;
    const first = pages.find((page) => page.shows(inputs, run));
    if (first) openPage(first.id, { run: run.id });
  }, [run?.id]);
}
