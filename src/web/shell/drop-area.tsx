import { useEffect, useState } from 'preact/hooks';

type Open = (files: readonly File[]) => void;

/** What a page shows that waits for files; they may be dropped anywhere on it. */
export function DropArea({ open }: { open: Open }) {
  return (
    <section class="drop-area" aria-label="Open files">
      <h1>Highwater</h1>
      <p>Drop a memory snapshot, a packed recording, a heap or a log anywhere on this page, or</p>
      <input
        type="file"
        multiple
        aria-label="choose files"
        onChange={({ currentTarget: { files } }) => files?.length && open([...files])}
      />
      <ul class="muted">
        <li>PyTorch memory snapshots: .pickle, .pickle.gz, of any protocol</li>
        <li>recordings: highwater pack run.hw makes one file of a folder</li>
        <li>heaps of V8 (.heapsnapshot) and of Python (.hwheap)</li>
        <li>profiler traces, and what nvidia-smi, free, vmstat, mprof and others wrote</li>
      </ul>
      <p class="muted">
        Files are read by this page, on this machine. It can reach no network: nothing leaves it.
      </p>
    </section>
  );
}

/** Takes what is dropped anywhere; says so while something is held over the page. */
export function DropTarget({ open }: { open: Open }) {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
    const onOver = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const onLeave = (event: DragEvent) => event.relatedTarget === null && setOver(false);
    const onDrop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length > 0) open(files);
    };
    addEventListener('dragover', onOver);
    addEventListener('dragleave', onLeave);
    addEventListener('drop', onDrop);
    return () => {
      removeEventListener('dragover', onOver);
      removeEventListener('dragleave', onLeave);
      removeEventListener('drop', onDrop);
    };
  }, [open]);
  return over ? <div class="drop-over">Drop to open</div> : null;
}
