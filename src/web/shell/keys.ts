import { useEffect } from 'preact/hooks';
import { openPage } from '../address.ts';
import type { Page } from '../pages/page.ts';

/** A letter opens a page, unless the reader is writing something. */
export function useKeys(pages: readonly Page[]): void {
  const ids = pages.map(({ id }) => id).join();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const writing = (event.target as HTMLElement).closest?.('input, select, textarea');
      if (writing || event.ctrlKey || event.metaKey || event.altKey) return;
      const page = pages.find(({ key }) => key === event.key);
      if (page) openPage(page.id);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [ids]);
}
