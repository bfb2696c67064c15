import { holdersText, partitionText, pathsText } from '../../../views/heap/index.ts';
import type { Answer } from './session.ts';

/** An answer for a terminal. */
export function answerText(answer: Answer): string {
  switch (answer.type) {
    case 'heap-partition':
      return partitionText(answer, (answer.rows[0]?.index ?? 0) === 0);
    case 'heap-paths':
      return pathsText(answer);
    case 'heap-holders':
      return holdersText(answer);
    case 'heap-note':
      return `${answer.text}\n`;
  }
}
