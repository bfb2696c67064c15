import { computed, signal } from '@preact/signals';
import { DARK, LIGHT, type Theme } from '../views/chart/palette.ts';
import { keepTheme, keptTheme, type ThemeChoice } from './kept-theme.ts';

export type { ThemeChoice } from './kept-theme.ts';

const system = matchMedia('(prefers-color-scheme: dark)');
const systemDark = signal(system.matches);
system.addEventListener('change', ({ matches }) => {
  systemDark.value = matches;
});

/** Paper is light, whatever the screen is. */
const print = matchMedia('print');
const printing = signal(print.matches);
print.addEventListener('change', ({ matches }) => {
  printing.value = matches;
});

export const chosenTheme = signal<ThemeChoice>(keptTheme());

/** The colours of charts: the same as in pictures that `highwater plot` makes. */
export const theme = computed<Theme>(() => {
  if (printing.value) return LIGHT;
  const dark = chosenTheme.value === 'auto' ? systemDark.value : chosenTheme.value === 'dark';
  return dark ? DARK : LIGHT;
});

export function setTheme(choice: ThemeChoice): void {
  chosenTheme.value = choice;
  keepTheme(choice);
}
