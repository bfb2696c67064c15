import type { OpenJob } from './resource.ts';

/** Whether there are two runs that tell anything over time; heaps alone do not. */
export const isComparable = ({ runs }: OpenJob): boolean =>
  runs.filter(({ recording }) => recording.tables.length > 0).length > 1;
