import { useEffect, useRef, useState } from 'preact/hooks';
import type { PlacedPeak } from '../../views/chart/peak-mark.ts';
import type { Door } from './doors.ts';

interface Props {
  readonly spot: PlacedPeak;
  readonly doors: readonly Door[];
  /** In pixels, of what it lies over. */
  readonly width: number;
  /** What a click does, where the page that it is on shows that moment itself. */
  go?(): void;
  /** The pointer is over it: what stands beside the pointer would cover it. */
  onOver?(): void;
}

/** Around ring and words, so that a finger meets them. */
const REACH = 7;

/** What makes the peak of a picture a door to the pages of that moment; the picture itself shows it. */
export function PeakMark({ spot, doors, width, go, onOver }: Props) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    root.current?.querySelector('a')?.focus();
    const close = (event: PointerEvent) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    addEventListener('pointerdown', close);
    return () => removeEventListener('pointerdown', close);
  }, [isOpen]);
  if (doors.length === 0 && !go) return null;
  const { at, label } = spot;
  const left = Math.min(at.x - REACH, label.x);
  const top = Math.min(at.y - REACH, label.y);
  const right = Math.max(at.x + REACH, label.x + label.width);
  const bottom = Math.max(at.y + REACH, label.y + label.height);
  const key = (event: KeyboardEvent) => {
    // A chart below it has other uses for keys; only what opens a page goes through.
    if (/^([wasd]|Arrow.*|Home|0)$/.test(event.key)) event.stopPropagation();
    if (event.key !== 'Escape' || !isOpen) return;
    event.stopPropagation();
    setOpen(false);
    button.current?.focus();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be laid out as one
    <div
      class="peak"
      role="group"
      aria-label="Peak"
      ref={root}
      onPointerEnter={onOver}
      onPointerMove={(event) => event.stopPropagation()}
      onPointerDown={(event) => event.stopPropagation()}
      onPointerUp={(event) => event.stopPropagation()}
      onDblClick={(event) => event.stopPropagation()}
      onKeyDown={key}
    >
      <button
        type="button"
        class="peak-mark"
        ref={button}
        style={{
          left: `${left}px`,
          top: `${top}px`,
          width: `${right - left}px`,
          height: `${bottom - top}px`,
        }}
        aria-expanded={go ? undefined : isOpen}
        aria-label={`${spot.words}: ${go ? 'show' : 'pages of'} that moment`}
        title={go ? 'Show that moment' : 'Open the pages of that moment'}
        data-x={at.x}
        data-y={at.y}
        onClick={go ?? (() => setOpen(!isOpen))}
      />
      {isOpen && (
        <nav
          class="peak-doors"
          aria-label="At the peak"
          style={{
            top: `${bottom + 3}px`,
            ...(at.x > width / 2
              ? { right: `${Math.max(0, width - right)}px` }
              : { left: `${Math.max(0, left)}px` }),
          }}
        >
          {doors.map(({ words, href }) => (
            <a key={words} class="peak-door" href={href} onClick={() => setOpen(false)}>
              {words}
            </a>
          ))}
        </nav>
      )}
    </div>
  );
}
