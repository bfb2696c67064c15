import type { ComponentType } from 'preact';
import type { JobInfo, RunEntry } from '../../model/job-info.ts';
import type { PageState, StateChange } from '../address.ts';

/** What every page is given. */
export interface PageProps {
  readonly job: JobInfo;
  /** The run that the reader chose; pages about all runs may ignore it. */
  readonly run: RunEntry;
  readonly state: PageState;
  setState(change: StateChange, how?: 'replace' | 'push'): void;
}

/** One page. To add one, write a folder beside this file and name it in index.ts. */
export interface Page {
  /** In the address. */
  readonly id: string;
  readonly title: string;
  /** The key that opens it. */
  readonly key: string;
  /** Whether these inputs have anything for it. */
  shows(job: JobInfo, run: RunEntry): boolean;
  load(): Promise<{ default: ComponentType<PageProps> }>;
}

/** For pages about one run. */
export const hasResource = (name: string) => (_job: JobInfo, run: RunEntry) =>
  run.resources.includes(name);

/** For pages about all of them. */
export const jobHas = (name: string) => (job: JobInfo) => job.resources.includes(name);
