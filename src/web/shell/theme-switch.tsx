import { useEffect } from 'preact/hooks';
import { chosenTheme, setTheme, type ThemeChoice } from '../theme.ts';

const CHOICES: readonly { choice: ThemeChoice; label: string }[] = [
  { choice: 'auto', label: 'as the system' },
  { choice: 'light', label: 'light' },
  { choice: 'dark', label: 'dark' },
];

export function ThemeSwitch() {
  const choice = chosenTheme.value;
  useEffect(() => {
    document.documentElement.dataset.theme = choice;
  }, [choice]);
  return (
    <select
      class="theme-switch"
      aria-label="Colours"
      value={choice}
      onChange={(event) => setTheme(event.currentTarget.value as ThemeChoice)}
    >
      {CHOICES.map(({ choice: value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}
