/** What must not be stored: the names, shapes and places of secrets. */
export { redactArgv } from './argv.ts';
export { hideSecrets } from './json.ts';
export { withoutSecrets } from './text.ts';
