import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { MiB } from '../../src/base/bytes.ts';
import { newPage } from '../support/chromium.ts';

/** Of the shared ones, so that all take a minute: the largest is the benchmark's. */
const LARGEST = 8 * MiB;

/** The viewer as a reader opens it: from the disk, without a network. */
export async function openViewer(): Promise<{ page: Page; errors: string[] }> {
  const opened = await newPage({ offline: true });
  await opened.page.goto(pathToFileURL(resolve('dist/highwater-viewer.html')).href);
  return opened;
}

/** All files in a folder and below, but very large ones and those that are part of a recording's folder. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !/\.hw\//.test(name))
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile() && statSync(path).size < LARGEST)
    .sort();
}

/** What the viewer's own readers say to a question about a file, in the browser; `error` where they refuse it. */
export async function answerInBrowser(
  page: Page,
  path: string,
  question: string,
): Promise<{ readonly json?: unknown; readonly error?: string }> {
  await page.evaluate(ADD_INPUT);
  await page.setInputFiles('#given', path);
  return JSON.parse(await page.evaluate(`(${ASK})(${JSON.stringify(question)})`));
}

/** A way to hand a file over that the page itself does not look at. */
const ADD_INPUT = `{
  document.querySelector('#given')?.remove();
  document.body.append(Object.assign(document.createElement('input'), { type: 'file', id: 'given' }));
}`;

/** Asks the worker that the page carries. */
const ASK = `async (question) => {
  const block = document.querySelector('script[data-highwater="worker:viewer-worker"]');
  const source = Uint8Array.from(atob(block.textContent), (one) => one.charCodeAt(0));
  const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
  const worker = new Worker(url, { name: 'viewer' });
  const told = await new Promise((resolve) => {
    let asked = false;
    worker.onerror = ({ message }) => resolve(JSON.stringify({ error: message }));
    worker.onmessage = ({ data }) => {
      if (data.type === 'failure') return resolve(JSON.stringify({ error: data.message }));
      if (data.type === 'answer') {
        return resolve('{"json":' + new TextDecoder().decode(data.answer.bytes) + '}');
      }
      const [run] = data.info.runs;
      if (run.status === 'failed') resolve(JSON.stringify({ error: run.error }));
      if (run.status !== 'open' || asked) return;
      asked = true;
      worker.postMessage({ type: 'get', id: 0, path: 'run/0/' + question, query: '' });
    };
    worker.postMessage({ type: 'open', files: [...document.querySelector('#given').files] });
  });
  worker.terminate();
  return told;
}`;
