import { type Redactor, usersIn } from '../base/redaction/index.ts';
import { withoutSecrets } from '../base/secrets/index.ts';
import type { CrashText, OomEvent, XlaBuffer } from './out-of-memory.ts';

/** The people whose home folders the lines name that are kept of a log. */
export const usersInCrash = ({ events }: CrashText): string[] => usersIn(JSON.stringify(events));

/** What a log says about memory that ran out, to give away: figures, and whose message it is, stay. */
export function redactCrash(text: CrashText, redactor: Redactor): CrashText {
  const own = (said: string) => redactor.own(withoutSecrets(said));
  const buffer = (one: XlaBuffer): XlaBuffer => ({
    ...one,
    ...(one.shape !== undefined && { shape: own(one.shape) }),
    ...(one.what !== undefined && { what: own(one.what) }),
    ...(one.operation !== undefined && { operation: own(one.operation) }),
    ...(one.file !== undefined && { file: redactor.path(one.file) }),
  });
  const event = (one: OomEvent): OomEvent => ({
    ...one,
    text: own(one.text),
    // A word of ours, but for what a program may have been called by.
    ...(one.limitOf !== undefined && { limitOf: redactor.text(one.limitOf) }),
    ...(one.shape !== undefined && { shape: own(one.shape) }),
    ...(one.program && {
      program: { ...one.program, buffers: one.program.buffers.map(buffer) },
    }),
  });
  const engines = text.engines && {
    ...text.engines,
    figures: text.engines.figures.map((figure) => ({
      ...figure,
      version: publicVersion(figure.version),
    })),
  };
  return { ...text, name: redactor.words(text.name), events: text.events.map(event), engines };
}

/** Of a build of one's own, what follows the number may tell whose it is. */
const publicVersion = (version: string): string => /^b?[\d.]*/.exec(version)![0];
