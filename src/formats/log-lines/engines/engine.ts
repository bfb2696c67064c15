import { GiB, MiB } from '../../../base/bytes.ts';
import type { PlanWhat, ServingSample } from '../../../model/engine-plan.ts';

/** A figure of a line: what it is, how much, and of which device where the line names one. */
export interface Told {
  readonly what: PlanWhat;
  readonly value: number;
  readonly device?: string;
  /** It is one of several that belong together: a buffer of many. */
  readonly adds?: true;
  /** Of several the largest counts. */
  readonly most?: true;
}

/** One wording of an engine's lines. */
export interface Wording {
  /** For people: where a figure is from. */
  readonly name: string;
  /** Versions whose source has it. */
  readonly versions: string;
  readonly when: RegExp;
  /** What it says; null where it turns out to say nothing that can be used. */
  read(match: RegExpExecArray): readonly Told[] | null;
}

/** How full it is, as a line says it. */
export interface SampleWording {
  readonly when: RegExp;
  read(line: string, match: RegExpExecArray): Omit<ServingSample, 'engine' | 'worker' | 'from'>;
}

/**
 * The lines of one engine that plan its memory, listed in `index.ts`. Only wordings that were found in its source, by
 * version, are read; a line that looks like one of them and is none is told of, never guessed at.
 */
export interface EngineLines {
  readonly id: string;
  readonly title: string;
  /** The versions that were looked at. */
  readonly versions: string;
  /** Lines without any of these say nothing here: told before anything else is looked at. */
  readonly hint: RegExp;
  /** Its own version, where a line says it. */
  readonly version?: RegExp;
  /** A model is loaded, perhaps once more. */
  readonly begins?: RegExp;
  /** Memory is only estimated from here to there: lines between say nothing of what is taken. */
  readonly trial?: { readonly from: RegExp; readonly to: RegExp };
  readonly wordings: readonly Wording[];
  readonly sample?: SampleWording;
  /** Who says it: [1] a name, [2] a process id. */
  readonly speaker?: RegExp;
  /** Looks like a line of its plan. */
  readonly alike?: RegExp;
  /** Looks like it, and is known to plan nothing. */
  readonly idle?: RegExp;
  /** It answers HTTP: [1] the port. */
  readonly listens?: RegExp;
}

/** A number in a pattern: no longer than any that is meant. */
export const NUMBER = String.raw`(-?\d{1,9}(?:\.\d{1,6})?)`;
export const COUNT = String.raw`(\d{1,3}(?:,\d{3}){1,5}|\d{1,15})`;

/** A pattern with NUMBER and COUNT in it. */
export const pattern = (text: string, flags = ''): RegExp =>
  new RegExp(text.replaceAll('NUMBER', NUMBER).replaceAll('COUNT', COUNT), flags);

export const gib = (text: string | undefined): number => Math.round(Number(text) * GiB);
export const mib = (text: string | undefined): number => Math.round(Number(text) * MiB);
export const whole = (text: string | undefined): number => Number(text?.replaceAll(',', ''));

export const told = (what: PlanWhat, value: number, device?: string): Told => ({
  what,
  value,
  ...(device !== undefined && { device }),
});

/** The number after a word in a line; NaN where it is not there. */
export function after(line: string, word: RegExp): number {
  const found = word.exec(line);
  return found ? Number(found[1]) : Number.NaN;
}
