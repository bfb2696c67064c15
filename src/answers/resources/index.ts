import type { OpenInputs, OpenRun } from '../opened.ts';
import { allocation } from './allocation.ts';
import { between } from './between.ts';
import { compare } from './compare.ts';
import { crash } from './crash.ts';
import { flame } from './flame.ts';
import { heap } from './heap.ts';
import { job } from './job.ts';
import { layers } from './layers.ts';
import { live } from './live.ts';
import { overlay } from './overlay.ts';
import { ranks } from './ranks.ts';
import { recordings } from './recordings.ts';
import { report } from './report.ts';
import type { Resource } from './resource.ts';
import { segments } from './segments.ts';
import { sweep } from './sweep.ts';
import { timeline } from './timeline.ts';
import { trace } from './trace.ts';
import { traces } from './traces.ts';
import { whatIf } from './what-if.ts';
import { whatIfProgress } from './what-if-progress.ts';

/** Everything that a page can ask for. */
export const RESOURCES: readonly Resource[] = [
  report,
  crash,
  timeline,
  live,
  between,
  trace,
  allocation,
  segments,
  whatIf,
  whatIfProgress,
  flame,
  layers,
  heap,
  ranks,
  job,
  compare,
  overlay,
  traces,
  sweep,
  recordings,
];

/** Names of those that these inputs have. */
export const resourcesOf = (opened: OpenInputs, scope: Resource['scope'], run?: OpenRun) =>
  RESOURCES.filter((one) => one.scope === scope && one.has(opened, run)).map(({ name }) => name);
