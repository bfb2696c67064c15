import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tenMinutes } from '../../bench/ten-minutes.ts';
import type { InputsInfo } from '../../src/model/inputs-info.ts';
import type { Verdict } from '../../src/model/verdict.ts';
import { verdictSentence } from '../../src/model/verdict.ts';
import { inBrowser, newPage } from '../support/chromium.ts';
import { place, sleep } from '../support/recorder.ts';
import { ask, type Served, serving } from './serving.ts';
import { jsonAnswer } from './viewing.ts';

let recording: string;
let served: Served;
const own = () => ({ 'x-highwater-token': served.token });

/** The page that is sent once the report is known. */
async function sent(to: Served = served): Promise<{ body: string; policy: string }> {
  for (;;) {
    const { body, headers } = await ask(to, '/', { 'x-highwater-token': to.token });
    if (body.includes('data-first'))
      return { body, policy: String(headers['content-security-policy']) };
    await sleep(50);
  }
}

const inside = (html: string, pattern: RegExp) => pattern.exec(html)?.[1] ?? '';
const sha256 = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

beforeAll(async () => {
  recording = tenMinutes(place('<b>ten & "minutes".hw'));
  served = await serving([recording], { until: afterAll });
});

describe('the page as it is sent', () => {
  it('has the headline in it, and what its script would ask for first', async () => {
    const { body } = await sent();
    const { verdict } = await jsonAnswer<{ verdict: Verdict }>(['report', recording]);
    const shown = inside(body, /<h1 class="headline"[^>]*>(.*?)<\/h1>/);
    const plain = shown.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
    expect(plain).toBe(verdictSentence(verdict));
    const report = await ask(served, '/api/run/0/report', own());
    const block = inside(body, /data-first="run\/0\/report">(.*?)<\/script>/s);
    expect(JSON.parse(block)).toEqual(JSON.parse(report.body));
    const job: InputsInfo = JSON.parse((await ask(served, '/api/job', own())).body);
    expect(JSON.parse(inside(body, /data-first="job">(.*?)<\/script>/s))).toEqual(job);
  });

  it('lets only its own inline code act, and nothing that a recording is called', async () => {
    const { body, policy } = await sent();
    expect(policy).toContain(
      `script-src 'self' ${sha256(inside(body, /<script>(.*?)<\/script>/s))};`,
    );
    expect(policy).toContain(`style-src 'self' ${sha256(inside(body, /<style>(.*?)<\/style>/s))};`);
    expect(policy).not.toContain('unsafe');
    expect(body).not.toContain('<b>');
  });

  it('says nothing of several inputs, which open elsewhere', async () => {
    const several = await serving([recording, `${process.cwd()}/test/fixtures/recordings/v4.hw`]);
    const known = { 'x-highwater-token': several.token };
    const isOpen = async () => {
      const { runs }: InputsInfo = JSON.parse((await ask(several, '/api/job', known)).body);
      return runs.length === 2 && runs.every(({ status }) => status === 'open');
    };
    while (!(await isOpen())) await sleep(50);
    await ask(several, '/api/run/0/report', known);
    expect((await ask(several, '/', known)).body).not.toContain('data-first');
  });
});

describe('before its script has come', () => {
  inBrowser('the headline stands there, in the colours that were chosen', async () => {
    await sent();
    const { page } = await newPage();
    await page.goto(served.url.href);
    await page.locator('nav a').first().waitFor();
    const whole = await page.locator('h1.headline').textContent();
    await page.getByLabel('Colours').selectOption('dark');
    await page.route('**/app.js', (route) => route.abort());
    await page.reload();
    expect(await page.locator('h1.headline').textContent()).toBe(whole);
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(
      'rgb(20, 23, 28)',
    );
    for (const elsewhere of ['#/timeline', '#/overview?run=1', '#/overview?show=leak&run=1']) {
      await page.goto(`${served.url.origin}/empty`);
      await page.goto(`${served.url.origin}/${elsewhere}`);
      expect(await page.locator('h1.headline').isVisible(), elsewhere).toBe(false);
    }
    await page.goto(`${served.url.origin}/empty`);
    await page.goto(`${served.url.origin}/#/overview?show=peak`);
    expect(await page.locator('h1.headline').isVisible()).toBe(true);
    await page.close();
  });

  inBrowser('it does not move or go when the script comes, which asks for it no more', async () => {
    await sent();
    for (const width of [1280, 390]) {
      const { page, errors } = await newPage({ width });
      const asked: string[] = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      // Whether a frame was ever shown without it, and where it stood.
      await page.addInitScript(`
        const places = [];
        globalThis.looked = new Promise((done) => {
          const look = () => {
            const line = document.querySelector('h1.headline')?.getBoundingClientRect();
            if (line || places.length > 0) places.push(line ? line.top : null);
            if (places.length < 60) requestAnimationFrame(look);
            else done(places);
          };
          requestAnimationFrame(look);
        });
      `);
      await page.goto(served.url.href);
      await page.locator('[data-test=provenance]').waitFor();
      expect(new Set(await page.evaluate<number[]>('looked')).size, `${width} px`).toBe(1);
      expect(asked.filter((path) => /report|job/.test(path))).toEqual([]);
      // The server may go: what came with the page is kept like any other answer.
      expect(await page.locator('.facts li').count()).toBeGreaterThan(1);
      expect(errors).toEqual([]);
      await page.close();
    }
  });
});
