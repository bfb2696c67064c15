import { runDesk } from '../../server/desk-worker.ts';
import { opener } from './opener.ts';

await runDesk(opener);
