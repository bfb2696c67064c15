import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { HANDS, HANDS_HINT, HANDS_KEYS } from '../hands/words.ts';
import type { Page } from '../pages/page.ts';
import './help.css';

const isOpen = signal(false);

/** How charts are handled, in a line, and where all of it is told. */
export function HandsHint({ more = '' }: { more?: string }) {
  return (
    <>
      {`${HANDS_HINT}${more}. `}
      <button
        type="button"
        class="help-button"
        aria-label="All gestures and keys"
        title="All gestures and keys (?)"
        onClick={() => {
          isOpen.value = true;
        }}
      >
        ?
      </button>
    </>
  );
}

/** All gestures and keys, over the page; the question mark opens it, Escape closes it. */
export function Help({ pages }: { pages: readonly Page[] }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = isOpen.value;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const writing = (event.target as HTMLElement).closest?.('input, select, textarea');
      if (event.key !== '?' || writing || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      isOpen.value = !isOpen.peek();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  // A modal dialog keeps the focus inside by itself, and gives it back.
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  const close = () => {
    isOpen.value = false;
  };
  return (
    <dialog
      class="help"
      ref={dialog}
      aria-label="Gestures and keys"
      onClose={close}
      onKeyDown={(event) => {
        if (pages.some(({ key }) => key === event.key)) close();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) close();
      }}
    >
      {open && (
        <div class="help-body">
          <header>
            <h2>Gestures and keys</h2>
            <button type="button" onClick={close}>
              Close
            </button>
          </header>
          <Rows title="On every chart" rows={HANDS} />
          <Rows title="With the focus on a chart" rows={HANDS_KEYS} />
          <Rows
            title="Anywhere"
            rows={[
              ...pages.map(({ key, title }) => [key.toUpperCase(), title] as const),
              ['?', 'this help'],
            ]}
          />
        </div>
      )}
    </dialog>
  );
}

function Rows(props: { title: string; rows: readonly (readonly [string, string])[] }) {
  return (
    <section>
      <h3>{props.title}</h3>
      <dl>
        {props.rows.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
