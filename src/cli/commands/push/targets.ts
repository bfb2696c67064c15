import { clickHouse } from './clickhouse.ts';
import { metricsServer } from './metrics.ts';
import type { PushTarget } from './target.ts';

/** The first that takes an address gets it. */
export const TARGETS: readonly PushTarget[] = [clickHouse, metricsServer];
