/** Takes our own words out of NODE_OPTIONS: neither the program nor what it starts is to see them. */
export function takeOut(env: NodeJS.ProcessEnv, file: string): void {
  const all = env.NODE_OPTIONS ?? '';
  const own = `--require=${JSON.stringify(file)}`;
  if (!all.startsWith(own)) return;
  const rest = all.slice(own.length).replace(/^ /, '');
  if (rest === '') delete env.NODE_OPTIONS;
  else env.NODE_OPTIONS = rest;
}
