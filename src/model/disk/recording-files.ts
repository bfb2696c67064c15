/** The files of a recording, wherever they are: a folder, or a packed file in memory. */
export interface Files {
  /** Where they are, for messages. */
  readonly place: string;
  list(): string[];
  /** The whole file, or null when there is none of that name. */
  read(name: string): Uint8Array | null;
}

/** Names that belong to a recording; anything else in its folder is the user's and stays alone. */
export const OURS =
  /^(((run|sizes|stopped)\.json|summary\.jsonl|[a-z_]+\.(arrow|idx))(\.new)?|(oom|peak|look|end)-[\d-]{1,40}\.pickle)$/;

/** Heaps that `record --heap` took, in folders of their own. */
export const HEAP_FILE = /^heap\/\d{1,9}\/(v8\.heapsnapshot|python\.hwheap)$/;
