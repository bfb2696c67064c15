import { GiB, MiB, parseSize } from '../../../base/bytes.ts';
import { UserError } from '../../../base/errors.ts';

/** A card to try a program on. */
export interface Card {
  /** As the user named it. */
  readonly name: string;
  readonly totalBytes: number;
}

/** MiB in all, as nvidia-smi shows them. */
const CARDS: Readonly<Record<string, number>> = {
  T4: 15360,
  P100: 16384,
  'V100-16': 16384,
  'V100-32': 32768,
  A2: 15356,
  A10: 23028,
  A10G: 23028,
  A16: 15356,
  A30: 24576,
  A40: 46068,
  L4: 23034,
  L40: 46068,
  L40S: 46068,
  'A100-40': 40960,
  'A100-80': 81920,
  'H100-80': 81559,
  'H100-94': 95830,
  'H100-NVL': 95830,
  H20: 97871,
  H200: 143771,
  GH200: 97871,
  B200: 183359,
  A4000: 16376,
  A5000: 24564,
  A6000: 49140,
  '6000-Ada': 49140,
  'Pro-6000': 97887,
  '2080-Ti': 11264,
  '3060': 12288,
  '3070': 8192,
  '3080': 10240,
  '3090': 24576,
  '4060': 8188,
  '4070': 12282,
  '4080': 16376,
  '4090': 24564,
  '5070': 12227,
  '5080': 16303,
  '5090': 32607,
};

/** Cards that can be named, the smallest first. */
export const CARD_NAMES = Object.keys(CARDS).sort((a, b) => CARDS[a]! - CARDS[b]!);

/** In lower case, without its maker, spaces and hyphens. */
const plainName = (name: string) =>
  name
    .toLowerCase()
    .replace(/^(nvidia|geforce|tesla|rtx|\s|-)+/, '')
    .replace(/[\s_-]+|gb$/g, '');

/** A size, `24GiB`, or the name of a card: `A10G`, `A100-40`, `H100-80`, `RTX 4090`. */
export function parseCard(text: string): Card {
  const name = text.trim();
  const plain = plainName(name);
  const known = CARD_NAMES.find((card) => plainName(card) === plain);
  if (known !== undefined) return { name, totalBytes: CARDS[known]! * MiB };
  const sizes = CARD_NAMES.filter((card) => plainName(card).startsWith(plain) && plain.length > 2);
  if (/^[a-z]/i.test(name) || sizes.length > 0) {
    const near = sizes.length > 0 ? `; there are ${sizes.join(', ')}` : '';
    throw new UserError(`no card is known as '${name}'${near}`, {
      hint: 'name its memory: 24GiB',
    });
  }
  const totalBytes = parseSize(name);
  if (totalBytes < GiB / 4) {
    throw new UserError(`a card of ${name} is too small`, { hint: 'write it as 24GiB' });
  }
  return { name, totalBytes };
}
