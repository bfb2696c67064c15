import { createRequire } from 'node:module';
import { CODE, TEXT_BYTES } from './constants.ts';

/** A handle is an address inside the library: a plain number for us. */
export type Handle = number;

/** A call of NVML: a code comes back, results lie in the buffers that were passed. */
export type Call = (...args: (number | NodeJS.TypedArray | Buffer)[]) => number;

/** The calls we use. Those that old libraries lack are null. */
export interface Nvml {
  init(): number;
  shutdown(): number;
  /** What a code means, in the library's words. */
  errorText(code: number): string;
  /** A call by name; null where this library has none of that name. */
  optional(name: string, parameters: string): Call | null;
  /** A text that a call writes into a buffer; null where it fails. */
  text(call: Call | null, ...before: number[]): string | null;
  /** A number that a call writes; the code where it fails. */
  number(call: Call | null, ...before: number[]): { value: number } | { code: number };
  handle(call: Call | null, ...before: number[]): { handle: Handle } | { code: number };
}

/** Loads the library. Throws where the native bridge is missing or the file is no such library. */
export function bindNvml(path: string): Nvml {
  const koffi = createRequire(import.meta.url)('koffi') as typeof import('koffi');
  const library = koffi.load(path);
  const optional = (name: string, parameters: string): Call | null => {
    try {
      return library.func(`int ${name}(${parameters})`) as unknown as Call;
    } catch {
      return null;
    }
  };
  const init = optional('nvmlInit_v2', '') ?? optional('nvmlInit', '');
  const shutdown = optional('nvmlShutdown', '');
  if (!init || !shutdown) throw new Error(`${path} is no NVIDIA management library`);
  const errorText = errorTexts(library);
  const out = new Uint32Array(2);
  return {
    init,
    shutdown,
    errorText,
    optional,
    text(call, ...before) {
      const buffer = Buffer.alloc(TEXT_BYTES);
      if (!call || call(...before, buffer, TEXT_BYTES) !== CODE.ok) return null;
      const end = buffer.indexOf(0);
      return buffer.toString('utf8', 0, end < 0 ? TEXT_BYTES : end);
    },
    number(call, ...before) {
      if (!call) return { code: CODE.functionNotFound };
      const code = call(...before, out);
      return code === CODE.ok ? { value: out[0]! } : { code };
    },
    handle(call, ...before) {
      if (!call) return { code: CODE.functionNotFound };
      const code = call(...before, out);
      return code === CODE.ok ? { handle: out[1]! * 2 ** 32 + out[0]! } : { code };
    },
  };
}

function errorTexts(library: ReturnType<typeof import('koffi').load>): (code: number) => string {
  let call: ((code: number) => string) | null = null;
  try {
    call = library.func('const char *nvmlErrorString(int code)') as (code: number) => string;
  } catch {}
  return (code) => call?.(code) || `NVML error ${code}`;
}
