import { useEffect, useRef, useState } from 'preact/hooks';
import type { InputInfo } from '../../model/inputs-info.ts';
import { address } from '../address.ts';
import { download } from '../parts/scene-png.ts';
import { store } from '../store.ts';
import { pageMarkdown, runPicture } from './shared.ts';

const SAID_MS = 4000;

/** What a reader takes along to show somebody else. */
export function ShareMenu({ run, page }: { run: InputInfo; page: string }) {
  const menu = useRef<HTMLDetailsElement>(null);
  const [said, setSaid] = useState<string | null>(null);
  useEffect(() => {
    const close = (event: Event) => {
      // A key that is pressed nowhere has the window as its target, which is in nothing.
      const inside = event.target instanceof Node && menu.current?.contains(event.target);
      if (event instanceof KeyboardEvent ? event.key === 'Escape' : !inside)
        menu.current?.removeAttribute('open');
    };
    for (const name of ['pointerdown', 'keydown']) addEventListener(name, close);
    return () => {
      for (const name of ['pointerdown', 'keydown']) removeEventListener(name, close);
    };
  }, []);
  const act = (work: () => Promise<string>) => async () => {
    menu.current?.removeAttribute('open');
    setSaid('…');
    setSaid(await work().catch((error: Error) => `Not done: ${error.message}`));
    setTimeout(() => setSaid(null), SAID_MS);
  };
  return (
    <div class="share">
      <details ref={menu}>
        <summary title="Save, or copy for somebody else">Share</summary>
        <div class="share-items">
          {store.oneFile && (
            <button type="button" onClick={act(() => saveOneFile(run))}>
              Save as one file
            </button>
          )}
          {run.resources.includes('report') && (
            <button type="button" onClick={act(() => copyPicture(run))}>
              Copy picture
            </button>
          )}
          <button type="button" onClick={act(() => copyMarkdown(run, page))}>
            Copy as Markdown
          </button>
        </div>
      </details>
      {said && (
        <span class="share-said" role="status">
          {said.slice(0, 300)}
        </span>
      )}
    </div>
  );
}

async function saveOneFile(run: InputInfo): Promise<string> {
  download(await store.oneFile!(), `${run.name}.html`);
  return 'Saved';
}

/** The clipboard takes a picture that is still being made, so that the click still counts; where it takes none, a file does. */
async function copyPicture(run: InputInfo): Promise<string> {
  const picture = runPicture(run);
  try {
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': picture })]);
    return 'Picture copied';
  } catch {
    download(await picture, `${run.name}.png`);
    return 'Picture saved: the browser does not let us copy it';
  }
}

async function copyMarkdown(run: InputInfo, page: string): Promise<string> {
  const text = pageMarkdown(page, run, address.peek().state);
  try {
    const blob = text.then((words) => new Blob([words], { type: 'text/plain' }));
    await navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })]);
    return 'Markdown copied';
  } catch {
    download(new Blob([await text], { type: 'text/markdown' }), `${run.name}.md`);
    return 'Markdown saved: the browser does not let us copy it';
  }
}
