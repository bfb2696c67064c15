import type { Answer } from '../../record/attach/index.ts';

/** A line that says how a program was attached to; none where its agent was asked. */
export function wayIn(pid: number, { by, heldMs }: Pick<Answer, 'by' | 'heldMs'>): string {
  if (by === 'agent') return '';
  const held = by === 'gdb' && heldMs !== null ? `, which held it for ${heldMs.toFixed(0)} ms` : '';
  return `process ${pid} has no agent: attached by ${by}${held}\n`;
}
