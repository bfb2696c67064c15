/** Files of a program, told apart and named alike on any machine. */

const PACKAGES = /^.*\/(?:site|dist)-packages\//;
const STANDARD = /^.*\/lib\/python\d[\w.]*\//;
/** Code that torch.compile writes: the folder has the user's name, the file a hash. */
const COMPILED = /^.*\/torchinductor_[^/]*\/.*$/;
const NUMBERED = /^(<eval_with_key>)\.\d+/;

/** A path without what differs between machines and between runs. */
export function portablePath(file: string): string {
  return file
    .replaceAll('\\', '/')
    .replace(COMPILED, 'torchinductor')
    .replace(NUMBERED, '$1')
    .replace(PACKAGES, '')
    .replace(STANDARD, '');
}

/** Files of packages are at home in their package: only the program's own move about. */
export function fileName(file: string): string {
  const path = portablePath(file);
  return isPackaged(file) ? path : path.slice(path.lastIndexOf('/') + 1);
}

export const isPythonFile = (file: string) => /\.py$/.test(file) || file.startsWith('<');

export const isOwnFile = (file: string) =>
  /\.py$/.test(file) && !isPackaged(file) && !COMPILED.test(file);

function isPackaged(file: string): boolean {
  const path = file.replaceAll('\\', '/');
  return PACKAGES.test(path) || STANDARD.test(path);
}
