import { createHash } from 'node:crypto';
import type { Report } from '../analyses/report.ts';
import type { InputsInfo } from '../model/inputs-info.ts';
import { verdictSentence } from '../model/verdict.ts';
import type { Asset } from './assets.ts';
import type { FirstAnswer } from './first-answer.ts';
import { escaped } from './html-file.ts';

const STYLE = '<link rel="stylesheet" href="app.css" />';
const EARLY = '<script src="early.js"></script>';
const APP = '<div id="app"></div>';

/**
 * The page that is opened first, as `index.html` has it, with its style and the script that must run before anything is painted in it:
 * nothing is asked for before it is painted. Where the report is known, its headline is painted too, and the
 * page's script finds there what it would ask for.
 */
export class FrontPage {
  /** Nothing from elsewhere, no inline code but its own, shown in no other page's frame. */
  readonly policy: string;
  readonly #start: string;
  readonly #end: string;

  constructor(assets: ReadonlyMap<string, Asset>) {
    const text = (name: string) => assets.get(name)?.bytes.toString('utf8') ?? '';
    const [style, early] = [text('app.css'), text('early.js')];
    const [start = '', end = ''] = text('index.html')
      .replace(STYLE, () => `<style>${style}</style>`)
      .replace(EARLY, () => `<script>${early}</script>`)
      .split(APP);
    this.#start = start;
    this.#end = end;
    this.policy =
      `default-src 'none'; script-src 'self' ${hash(early)}; style-src 'self' ${hash(style)}; ` +
      "img-src 'self' data: blob:; connect-src 'self'; worker-src 'self' blob:; " +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  }

  /** `known`: what its script would ask for first; null: not yet. */
  html(known: { info: InputsInfo; first: FirstAnswer } | null): string {
    if (!known) return `${this.#start}${APP}${this.#end}`;
    const { info, first } = known;
    const report = new TextDecoder().decode(first.bytes);
    return [
      this.#start,
      painted(info, first.run, JSON.parse(report)),
      block('job', JSON.stringify(info)),
      block(`run/${first.run}/report`, report),
      this.#end,
    ].join('');
  }
}

/** As the page's script will draw it, which then takes its place. */
function painted({ runs }: InputsInfo, run: string, { verdict }: Report): string {
  const name = runs.find(({ id }) => id === run)?.name ?? '';
  const headline = verdictSentence(verdict);
  return (
    '<div id="app"><div class="app first"><header class="top-bar"><span class="brand">Highwater</span>' +
    `<span class="run-name"><bdi>${escaped(name.slice(0, 200))}</bdi></span><nav></nav></header>` +
    '<main class="page"><div class="overview">' +
    `<h1 class="headline" elementtiming="headline">${escaped(headline.slice(0, 1200))}</h1>` +
    '</div></main></div></div>'
  );
}

/** Data, which is not run. Nothing in it may end the block. */
const block = (question: string, json: string) =>
  `<script type="application/json" data-first="${escaped(question)}">${json.replaceAll('<', '\\u003c')}</script>\n`;

const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
