import type { PageState } from '../../../address.ts';

/** What shines in both pictures: a category, or a site by its place in the table. */
export type LitRow =
  | { readonly what: 'category'; readonly category: string }
  | { readonly what: 'site'; readonly site: number };

/** In the address: `category:activation`, `site:3`. */
export const litText = (lit: LitRow): string =>
  lit.what === 'category' ? `category:${lit.category}` : `site:${lit.site}`;

export function litOf({ lit = '' }: PageState): LitRow | null {
  const [what, word = ''] = lit.split(':', 2);
  if (what === 'category' && word !== '') return { what, category: word };
  const site = Number(word);
  return what === 'site' && word !== '' && Number.isInteger(site) ? { what, site } : null;
}

export const isLit = (lit: LitRow | null, row: LitRow): boolean =>
  lit !== null && litText(lit) === litText(row);
