import { signal } from '@preact/signals';
import { setState } from '../address.ts';
import { ErrorBox, ProgressBar } from '../parts/waiting.tsx';
import { store } from '../store.ts';
import { DropTarget } from './drop-area.tsx';

const taking = signal<string | null>(null);
const failed = signal<{ readonly name: string; readonly why: string } | null>(null);

/** Hands files to the server, and looks at each once it is open. */
async function takeAll(files: readonly File[]): Promise<void> {
  failed.value = null;
  for (const file of files) {
    taking.value = file.name;
    try {
      setState({ opened: await store.take!(file) }, 'push');
    } catch (error) {
      failed.value = { name: file.name, why: (error as Error).message };
    }
  }
  taking.value = null;
}

const take = (files: readonly File[]) => void takeAll(files);
const isTaking = () => store.take !== null && store.inputs.value?.takesFiles === true;

/** Takes what is dropped on any page of a server, and says how far it is. */
export function TakenFiles() {
  if (!isTaking()) return null;
  return (
    <>
      <DropTarget open={take} />
      {taking.value && <ProgressBar label={`Taking ${taking.value.slice(-200)} …`} />}
      {failed.value && <ErrorBox title={failed.value.name.slice(-200)} text={failed.value.why} />}
    </>
  );
}

/** What can be dropped. */
export function DropHint() {
  if (!isTaking()) return null;
  return (
    <p class="muted drop-hint">
      Drop a packed recording (.hwz), a memory snapshot, a heap, a profiler's trace or a log
      anywhere on this page to open it, or{' '}
      <label class="drop-choose">
        choose files
        <input
          type="file"
          multiple
          onChange={({ currentTarget: { files } }) => files?.length && void takeAll([...files])}
        />
      </label>
    </p>
  );
}
