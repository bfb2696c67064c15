/** What a program imports: `import { iteration, mark, phase } from 'highwater'`. */
export { epoch, iteration, mark, phase } from './sdk/marks.ts';
