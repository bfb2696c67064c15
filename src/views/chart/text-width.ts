import type { Weight } from './scene.ts';

/**
 * Advance widths of Inter (the bundled font; hmtx table, thousandths of an em) from space to tilde.
 * Charts have to know how wide a text will be before anything draws it.
 */
const REGULAR = [
  281, 288, 466, 633, 642, 982, 644, 300, 365, 365, 501, 662, 288, 460, 288, 360, 631, 407, 610,
  618, 646, 593, 620, 566, 619, 620, 288, 302, 662, 662, 662, 511, 966, 690, 654, 730, 722, 601,
  590, 746, 743, 269, 571, 672, 565, 903, 753, 765, 639, 765, 644, 642, 646, 744, 690, 985, 682,
  679, 629, 365, 360, 365, 471, 456, 323, 562, 612, 571, 612, 583, 370, 613, 591, 242, 242, 549,
  242, 876, 591, 600, 612, 612, 376, 528, 327, 591, 562, 818, 546, 562, 552, 426, 333, 426, 662,
];
const SEMIBOLD = [
  252, 321, 523, 644, 650, 1004, 663, 326, 373, 373, 540, 673, 319, 465, 319, 379, 660, 423, 623,
  636, 666, 612, 640, 576, 640, 640, 319, 329, 673, 673, 673, 543, 999, 728, 659, 737, 722, 605,
  588, 749, 746, 277, 580, 703, 565, 922, 759, 769, 645, 773, 652, 650, 660, 736, 728, 1020, 720,
  713, 652, 373, 379, 373, 481, 469, 351, 574, 624, 583, 624, 591, 389, 625, 612, 262, 262, 569,
  262, 900, 612, 609, 624, 624, 397, 549, 353, 612, 587, 839, 569, 588, 566, 455, 359, 455, 673,
];
/** Digits may be set tabular by a browser: as wide as the widest of them. */
const DIGIT = { regular: 646, semibold: 666 };
/** Anything beyond ASCII; East Asian scripts fill the em. */
const OTHER = 690;
const FULL = 1000;

/** Pixels that a text takes in Inter at a size, or a little more. */
export function textWidth(text: string, size: number, weight: Weight = 'regular'): number {
  const table = weight === 'regular' ? REGULAR : SEMIBOLD;
  let sum = 0;
  for (const character of text) {
    const code = character.codePointAt(0)!;
    if (code >= 48 && code <= 57) sum += DIGIT[weight];
    else sum += table[code - 32] ?? (code >= 0x1100 ? FULL : OTHER);
  }
  return (sum * size) / 1000;
}

/** The text, or as much of its beginning as fits with an ellipsis. */
export function fitText(text: string, width: number, size: number, weight?: Weight): string {
  if (textWidth(text, size, weight) <= width) return text;
  // No more than could fit of the narrowest letter: a name may have 100,000 of them.
  const most = Math.ceil((width * 1000) / (size * Math.min(...REGULAR)));
  const characters = [...text.slice(0, 2 * most)].slice(0, most);
  while (characters.length > 0 && textWidth(`${characters.join('')}…`, size, weight) > width) {
    characters.pop();
  }
  return `${characters.join('').trimEnd()}…`;
}

/** Sentences set in lines no wider than `width`. */
export function wrapText(text: string, width: number, size: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && textWidth(longer, size) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return line === '' ? lines : [...lines, line];
}
