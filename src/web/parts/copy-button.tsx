import { useState } from 'preact/hooks';

/** Puts a text where the reader's next paste takes it from. */
export function CopyButton(props: { text: () => string; label: string; words: string }) {
  const { text, label, words } = props;
  const [said, setSaid] = useState<string | null>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text());
      setSaid('Copied');
    } catch {
      setSaid('The browser does not let us copy');
    }
    setTimeout(() => setSaid(null), 1500);
  };
  return (
    <button type="button" class="copy" aria-label={label} title={label} onClick={copy}>
      {said ?? words}
    </button>
  );
}
