import { computed, signal } from '@preact/signals';
import { DARK, LIGHT, type Theme } from '../views/chart/palette.ts';

export type ThemeChoice = 'auto' | 'light' | 'dark';

const KEY = 'highwater.colours';
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

export const chosenTheme = signal<ThemeChoice>(kept());

/** The colours of charts: the same as in pictures that `highwater plot` makes. */
export const theme = computed<Theme>(() => {
  if (printing.value) return LIGHT;
  const dark = chosenTheme.value === 'auto' ? systemDark.value : chosenTheme.value === 'dark';
  return dark ? DARK : LIGHT;
});

export function setTheme(choice: ThemeChoice): void {
  chosenTheme.value = choice;
  try {
    localStorage.setItem(KEY, choice);
  } catch {} // a page from a disk may have no place to keep it
}

function kept(): ThemeChoice {
  try {
    const choice = localStorage.getItem(KEY);
    return choice === 'light' || choice === 'dark' ? choice : 'auto';
  } catch {
    return 'auto';
  }
}
