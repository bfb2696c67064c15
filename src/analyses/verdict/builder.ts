import { oneLine, utf8Length } from '../../base/untrusted.ts';
import {
  type CauseCode,
  type Certainty,
  MOST_INPUT_BYTES,
  MOST_VERDICT_BYTES,
  type Statement,
  UNTRUSTED_NOTE,
  type Unit,
  type Verdict,
  type VerdictCause,
  type VerdictFix,
} from '../../model/verdict.ts';

/** So many characters of one text are kept; the whole of it stands elsewhere in the output. */
const MOST_TEXT = 80;
const MOST = { evidence: 10, against: 5, fixes: 4, causes: 3 } as const;
/** Of the first cause, and of each other. */
const MOST_OF_FIRST = 3;
const MOST_OF_OTHERS = 1;
/** What the causes themselves do not say: the rest stands elsewhere in the output. */
const FEWEST_EVIDENCE = 3;

type Next = NonNullable<Verdict['next']>;

/** Puts a verdict on one result together, and keeps it small. */
export class VerdictBuilder {
  readonly #result: object;
  readonly #texts = new Map<string, string>();
  readonly #evidence: Statement[] = [];
  readonly #against: Statement[] = [];
  readonly #fixes: VerdictFix[] = [];
  readonly #causes: VerdictCause[] = [];
  #next: Next | null = null;

  constructor(result: object) {
    this.#result = result;
  }

  /** Keeps somebody else's text aside; what stands for it in a sentence. */
  theirs(name: string, text: string, width = MOST_TEXT): string {
    const kept = oneLine(text, width);
    let key = name;
    for (let n = 2; this.#texts.has(key) && this.#texts.get(key) !== kept; n++) key = `${name}${n}`;
    this.#texts.set(key, kept);
    return `{${key}}`;
  }

  /** A statement, and where in the result its figure stands. */
  evidence(at: string, unit: Unit | null, statement: string): this {
    this.#evidence.push(this.#statement(at, unit, statement));
    return this;
  }

  against(at: string, unit: Unit | null, statement: string): this {
    this.#against.push(this.#statement(at, unit, statement));
    return this;
  }

  fix(
    id: string,
    what: string,
    bytes: VerdictFix['bytes'],
    enough: boolean | null = null,
    tried: Pick<VerdictFix, 'outcome' | 'margin'> = { outcome: 'unknown', margin: null },
  ): this {
    this.#fixes.push({ id, what, bytes, enough, ...tried });
    return this;
  }

  /** A cause with its own statements; the surest is told first. */
  cause(
    { id, certainty, bytes }: Pick<VerdictCause, 'id' | 'certainty' | 'bytes'>,
    evidence: readonly (readonly [at: string, unit: Unit | null, statement: string])[],
    against: readonly (readonly [at: string, unit: Unit | null, statement: string])[],
  ): this {
    const statements = (list: typeof evidence) =>
      list.map(([at, unit, statement]) => this.#statement(at, unit, statement));
    this.#causes.push({
      id,
      certainty,
      bytes,
      evidence: statements(evidence),
      against: statements(against),
    });
    return this;
  }

  next(why: string, ...argv: string[]): this {
    this.#next = { argv: ['highwater', ...argv], why };
    return this;
  }

  build(code: CauseCode, certainty: Certainty, sentence: string): Verdict {
    const lists: Lists = {
      causes: this.#causes.slice(0, MOST.causes).map((cause, i) => shortened(cause, i === 0)),
      evidence: this.#evidence.slice(0, MOST.evidence),
      against: this.#against.slice(0, MOST.against),
      fixes: this.#fixes.slice(0, MOST.fixes),
    };
    for (;;) {
      const verdict = this.#assembled({ code, sentence }, certainty, lists);
      if (isSmall(verdict)) return verdict;
      if (!shrink(lists)) throw new Error('a verdict without any list is small');
    }
  }

  #assembled(cause: Verdict['cause'], certainty: Certainty, lists: Lists): Verdict {
    const { causes, evidence, against, fixes } = lists;
    const ofCauses = causes.flatMap((one) => [...one.evidence, ...one.against]);
    const said = [
      cause.sentence,
      ...[...evidence, ...against, ...ofCauses].map(({ statement }) => statement),
      ...fixes.map(({ what }) => what),
    ].join();
    const texts = [...this.#texts].filter(([name]) => said.includes(`{${name}}`));
    return {
      cause,
      certainty,
      causes: [...causes],
      evidence: [...evidence],
      against: [...against],
      fixes: [...fixes],
      next: this.#next,
      untrusted: { note: UNTRUSTED_NOTE, texts: Object.fromEntries(texts) },
    };
  }

  #statement(at: string, unit: Unit | null, statement: string): Statement {
    const there = valueAt(this.#result, at);
    const value = typeof there === 'number' && Number.isFinite(there) ? there : null;
    return { statement, value, unit: value === null ? null : unit, at };
  }
}

interface Lists {
  readonly causes: VerdictCause[];
  readonly evidence: Statement[];
  readonly against: Statement[];
  readonly fixes: VerdictFix[];
}

const shortened = (cause: VerdictCause, isFirst: boolean): VerdictCause => ({
  ...cause,
  evidence: cause.evidence.slice(0, isFirst ? MOST_OF_FIRST : MOST_OF_OTHERS),
  against: cause.against.slice(0, MOST_OF_OTHERS),
});

/** Takes away what is missed least: what is told last, and what stands elsewhere too; false: nothing is left to take. */
function shrink({ causes, evidence, against, fixes }: Lists): boolean {
  if (causes.length > 0 && evidence.length > FEWEST_EVIDENCE) return evidence.pop() !== undefined;
  const last = causes.findLastIndex((one, i) => i > 0 && one.against.length > 0);
  if (last > 0) {
    causes[last] = { ...causes[last]!, against: [] };
    return true;
  }
  // The third is seldom the one.
  if (causes.length > 2) return causes.pop() !== undefined;
  const longest = [evidence, against, fixes].sort((a, b) => b.length - a.length)[0]!;
  if (longest.length > 0) return longest.pop() !== undefined;
  return causes.pop() !== undefined;
}

/** As it stands in an output, set in by two places; several files stand on lines of their own. */
const isSmall = (verdict: Verdict) =>
  utf8Length(JSON.stringify({ verdict }, null, 2)) <= MOST_VERDICT_BYTES - 2 * MOST_INPUT_BYTES;

/** What a JSON pointer points at. */
function valueAt(root: unknown, pointer: string): unknown {
  let found: unknown = root;
  for (const part of pointer.split('/').slice(1)) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = (found as Record<string, unknown>)[part.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return found;
}
