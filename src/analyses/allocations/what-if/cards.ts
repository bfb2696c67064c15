import { GiB, MiB, parseSize } from '../../../base/bytes.ts';
import { UserError } from '../../../base/errors.ts';

/** A card to try a program on. */
export interface Card {
  /** As the user named it. */
  readonly name: string;
  readonly totalBytes: number;
}

/** MiB in all, as nvidia-smi shows them; the names in lower case, without spaces and hyphens. */
const CARDS: Readonly<Record<string, number>> = {
  t4: 15360,
  p100: 16384,
  v10016: 16384,
  v10032: 32768,
  a2: 15356,
  a10: 23028,
  a10g: 23028,
  a16: 15356,
  a30: 24576,
  a40: 46068,
  l4: 23034,
  l40: 46068,
  l40s: 46068,
  a10040: 40960,
  a10080: 81920,
  h10080: 81559,
  h10094: 95830,
  h100nvl: 95830,
  h20: 97871,
  h200: 143771,
  gh200: 97871,
  b200: 183359,
  a4000: 16376,
  a5000: 24564,
  a6000: 49140,
  '6000ada': 49140,
  pro6000: 97887,
  '2080ti': 11264,
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

/** A size, `24GiB`, or the name of a card: `A10G`, `A100-40`, `H100-80`, `RTX 4090`. */
export function parseCard(text: string): Card {
  const name = text.trim();
  const key = name.toLowerCase().replace(/^(nvidia|geforce|tesla|rtx|\s|-)+/, '');
  const plain = key.replace(/[\s_-]+|gb$/g, '');
  const known = Object.hasOwn(CARDS, plain) ? CARDS[plain] : undefined;
  if (known !== undefined) return { name, totalBytes: known * MiB };
  const sizes = Object.keys(CARDS).filter((card) => card.startsWith(plain) && plain.length > 2);
  if (/^[a-z]/i.test(name) || sizes.length > 0) {
    const near = sizes.length > 0 ? `; there are ${sizes.join(', ')}` : '';
    throw new UserError(`no card is known as '${name}'${near}`, {
      hint: 'name its memory: --card 24GiB',
    });
  }
  const totalBytes = parseSize(name);
  if (totalBytes < GiB / 4) {
    throw new UserError(`a card of ${name} is too small`, { hint: 'write it as 24GiB' });
  }
  return { name, totalBytes };
}
