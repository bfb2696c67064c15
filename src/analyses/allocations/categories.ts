import { CATEGORIES, type Category, type Reason } from './evidence/reasons.ts';
import { confidenceOf, reasonsOf, sureness } from './evidence/row-reasons.ts';
import type { TraceSurvey } from './evidence/survey.ts';

/** What one category held. */
export interface CategoryShare {
  readonly category: Category;
  readonly bytes: number;
  readonly allocations: number;
  /** 0 to 1, weighted by bytes; 0 for what is unknown. */
  readonly confidence: number;
  /** The reason behind most of the bytes. */
  readonly reason: string;
  /** All reasons, the largest first. */
  readonly evidence: readonly { reason: string; bytes: number; confidence: number }[];
  /** Kinds shown apart, such as intermediate gradients within what is temporary. */
  readonly parts: readonly { part: string; bytes: number }[];
}

/** What was live after an event, by category, the largest first; categories without bytes are left out. */
export function categories(survey: TraceSurvey, live: Uint32Array): CategoryShare[] {
  const { life } = survey;
  const reasonOf = reasonsOf(survey);
  const sums = new Map<Reason, { bytes: number; allocations: number }>();
  for (const row of live) {
    const reason = reasonOf(row);
    const sum = sums.get(reason) ?? { bytes: 0, allocations: 0 };
    sum.bytes += life.size[row]!;
    sum.allocations++;
    sums.set(reason, sum);
  }
  return CATEGORIES.flatMap((category) => share(survey, category, sums)).sort(
    (a, b) => b.bytes - a.bytes,
  );
}

function share(
  survey: TraceSurvey,
  category: Category,
  sums: ReadonlyMap<Reason, { bytes: number; allocations: number }>,
): CategoryShare[] {
  const mine = [...sums]
    .filter(([reason]) => reason.category === category)
    .sort((a, b) => b[1].bytes - a[1].bytes);
  if (mine.length === 0) return [];
  const add = (of: (entry: (typeof mine)[number]) => number) =>
    mine.reduce((sum, entry) => sum + of(entry), 0);
  const bytes = add(([, sum]) => sum.bytes);
  const weighted = add(([reason, sum]) => sureness(survey, reason) * sum.bytes);
  const parts = new Map<string, number>();
  for (const [{ part }, sum] of mine) {
    if (part) parts.set(part, (parts.get(part) ?? 0) + sum.bytes);
  }
  return [
    {
      category,
      bytes,
      allocations: add(([, sum]) => sum.allocations),
      confidence: bytes > 0 ? Math.round((weighted / bytes) * 100) / 100 : 0,
      reason: mine[0]![0].text,
      evidence: mine.map(([reason, sum]) => ({
        reason: reason.text,
        bytes: sum.bytes,
        confidence: confidenceOf(survey, reason),
      })),
      parts: [...parts]
        .map(([part, held]) => ({ part, bytes: held }))
        .sort((a, b) => b.bytes - a.bytes),
    },
  ];
}
