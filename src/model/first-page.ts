import type { InputInfo, InputsInfo } from './inputs-info.ts';

/** The run in the address, or the first that is open. */
export function chosenRun({ runs }: InputsInfo, id: string | undefined): InputInfo | undefined {
  const open = runs.filter(({ status }) => status === 'open');
  return open.find((run) => run.id === id) ?? open[0];
}

/** Where a reader who named no page begins: at the page that answers what these inputs ask. Null: too few are open to say. */
export function firstPage(inputs: InputsInfo, run: InputInfo | undefined): string | null {
  const { resources, runs } = inputs;
  // Whoever gives several wants to know how they differ; a sweep's table is on the same page.
  if (resources.includes('sweep') || resources.includes('compare')) return 'compare';
  const pending = runs.some(({ status }) => status === 'waiting' || status === 'opening');
  if (!run || pending) return null;
  if (run.resources.includes('job')) return 'job';
  if (isHeap(run)) return 'heap';
  // What it died of comes before how its ranks differ.
  return run.outlier !== null && !run.died ? 'ranks' : 'overview';
}

/** A heap by itself: of what else the process did nothing was recorded. */
const isHeap = ({ resources }: InputInfo) =>
  resources.includes('heap') && !resources.includes('report');
