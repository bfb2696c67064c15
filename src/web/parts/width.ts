import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** How wide an element is, also when the window changes. */
export function useWidth<T extends HTMLElement>(least = 240): [RefObject<T>, number] {
  const ref = useRef<T>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (!ref.current) return;
    const watch = new ResizeObserver(([entry]) => setWidth(Math.floor(entry!.contentRect.width)));
    watch.observe(ref.current);
    return () => watch.disconnect();
  }, []);
  return [ref, Math.max(least, width)];
}
