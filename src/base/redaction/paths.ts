import { PUBLIC_PACKAGES, PYTHON_MODULES } from './public-packages.ts';

/** Directories that are the same on every machine; what is in /usr/local may be anybody's. */
const SYSTEM =
  /^\/(usr(?!\/local\/(?!bin|sbin|lib|share|include|etc|src|cuda|nvidia))|lib|lib64|bin|sbin|proc|sys)(\/|$)/;
/** What follows is a package. */
const LIBRARY = /^(site-packages|dist-packages|node_modules)$/;
/** Python's own modules, in `lib/python3.11`; anything else there is somebody's. */
const PYTHON = /^python3\.\d+t?$/;
const MODULE =
  /^(asyncio|collections|compression|concurrent|ctypes|curses|dbm|distutils|email|encodings|ensurepip|html|http|idlelib|importlib|json|lib-dynload|lib2to3|logging|multiprocessing|pathlib|pydoc_data|_pyrepl|re|resources|metadata|sqlite3|string|sysconfig|test|tkinter|tomllib|unittest|urllib|venv|wsgiref|xml|dom|etree|parsers|sax|xmlrpc|zipfile|zoneinfo|__pycache__)$/;
const PLAIN: ReadonlySet<string> = new Set([
  '',
  '.',
  '..',
  '~',
  ...'home Users tmp var opt mnt dev shm root'.split(' '),
]);
/** Folders of PyTorch and its like: a stack through a checkout of them says the same as through a package. */
const FRAMEWORK =
  /^(torch|nn|modules|optim|autograd|parallel|_dynamo|_functorch|_inductor|deepspeed|ops|bitsandbytes|safetensors|torchinductor_.*)$/;
/** A stack would be worth nothing without the files of its code. */
const CODE =
  /\.(py|pyc|pyx|ipynb|[cm]?[jt]sx?|c|cc|cpp|cu|cuh|h|hpp|go|rs|java|jl|lua|r|sh|so(\.\d+)*)$/i;
/** Endings that say what is in a file. */
const ENDING =
  /\.(arrow|bin|cfg|conf|csv|dat|db|err|feather|gguf|gz|h5|hdf5|heapsnapshot|hw|hwheap|hwz|idx|ini|jpe?g|json|jsonl|lock|log|lz4|md|mp[34]|ndjson|np[yz]|onnx|out|parquet|pem|pickle|pid|pkl|png|pth?|safetensors|sock|sql|svg|tar|tfrecords?|tmp|toml|tsv|txt|vocab|wav|webp|xml|ya?ml|zip|zst)$/i;
const HOME_FOLDER = /^(homes?\d*|users|people)$/i;

/** How parts of a path are called instead. */
export interface PathNames {
  user(name: string): string;
  directory(name: string): string;
  file(name: string): string;
  /** Names of code: ordinary words stay. */
  code(name: string): string;
}

/** Directory by directory, so that what lies in one place still does. */
export function redactPath(path: string, names: PathNames): string {
  if (isSystem(path) || !/[\p{L}\p{N}]/u.test(path)) return path;
  const parts = path.split(/([/\\])/);
  const last = parts.length - 1;
  const library = parts.findLastIndex((part) => LIBRARY.test(part));
  const known = library >= 0 && isPublic(parts[library + 2]);
  const inPython = parts.findIndex((part) => PYTHON.test(part));
  const renamed = (part: string, i: number): string => {
    if (i % 2 === 1 || PLAIN.has(part) || (known && i > library)) return part;
    if (i === library || i === inPython || (part === 'lib' && i === inPython - 2)) return part;
    if (inPython >= 0 && i > inPython && (MODULE.test(part) || isModule(part))) return part;
    if (/^[A-Za-z]:$/.test(part)) return part;
    const above = parts[i - 2];
    if (above !== undefined && HOME_FOLDER.test(above)) return names.user(part);
    if (library >= 0 && i > library) return ended(part, names);
    if (i < last) return isTelling(part) ? names.code(part) : names.directory(part);
    return ended(part, names);
  };
  return parts.map(renamed).join('');
}

/** Whether the code of a file can be looked up by anybody. */
export function isPublicFile(file: string): boolean {
  const parts = file.split(/[/\\]/);
  const library = parts.findLastIndex((part) => LIBRARY.test(part));
  if (library >= 0) return isPublic(parts[library + 1]);
  const python = parts.findIndex((part) => PYTHON.test(part));
  if (python >= 0) return isModule(parts[python + 1] ?? '') || MODULE.test(parts[python + 1] ?? '');
  return /^<frozen [\w.]+>$/.test(file) || /^node:[\w/.-]+$/.test(file);
}

const isSystem = (path: string) =>
  SYSTEM.test(path) && !/\/(site|dist)-packages\/|\/node_modules\//.test(path);
const isPublic = (name: string | undefined) =>
  name !== undefined && PUBLIC_PACKAGES.has(name.replace(/\.(py|so)$|-[\d.]+\.dist-info$/, ''));
const isModule = (name: string) => PYTHON_MODULES.has(name.replace(/\.pyc?$/, ''));
const isTelling = (name: string) => FRAMEWORK.test(name) || /optimi[sz](er|ation)/i.test(name);

function ended(name: string, names: PathNames): string {
  const code = CODE.exec(name)?.[0];
  if (code) return names.code(name.slice(0, -code.length)) + code;
  const ending = ENDING.exec(name)?.[0] ?? '';
  return names.file(name) + ending;
}
