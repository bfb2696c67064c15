export type ThemeChoice = 'auto' | 'light' | 'dark';

const KEY = 'highwater.colours';

/** What the reader chose last in this browser. */
export function keptTheme(): ThemeChoice {
  try {
    const choice = localStorage.getItem(KEY);
    return choice === 'light' || choice === 'dark' ? choice : 'auto';
  } catch {
    return 'auto';
  }
}

export function keepTheme(choice: ThemeChoice): void {
  try {
    localStorage.setItem(KEY, choice);
  } catch {} // a page from a disk may have no place to keep it
}
