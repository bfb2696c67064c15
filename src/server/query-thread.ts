import { opener } from './open-inputs.ts';
import { runDesk } from './query-worker.ts';

await runDesk(opener);
