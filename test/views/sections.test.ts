import { describe, expect, it } from 'vitest';
import { type Report, report } from '../../src/analyses/report.ts';
import { openInput } from '../../src/open/open.ts';
import { reportMarkdown } from '../../src/views/report/markdown.ts';
import { reportAccounts, reportTiles } from '../../src/views/report/page.ts';
import { SECTIONS } from '../../src/views/report/sections.ts';
import { reportText } from '../../src/views/report/text.ts';
import { drawRecording } from '../analyses/drawn.ts';

const sampled = (): Report =>
  report(
    drawRecording({
      at: [0, 1, 2],
      processes: [
        { pid: 1, role: 'main', rss: [100, 300, 200], pss: [90, 250, 180] },
        { pid: 2, role: 'worker 1', rss: [10, 20, 20], pss: [5, 10, 10] },
      ],
      marks: ['start@0', 'end@2'],
    }),
  );
const traced = async (): Promise<Report> =>
  report(await openInput('test/fixtures/snapshots/oom_batch.pickle.gz'));

const inText = (text: string) =>
  text
    .split('\n\n')
    .slice(1)
    .map((block) => block.split('\n')[0]!);
const inMarkdown = (text: string) => [...text.matchAll(/^### (.*)$/gm)].map(([, title]) => title!);

describe('sections of a report', () => {
  it('have a name each', () => {
    const ids = SECTIONS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each([
    ['samples', async () => sampled()],
    ['an allocation trace', traced],
  ])('stand in one order in text and Markdown, of %s', async (_, made) => {
    const result = await made();
    const titles = inText(reportText(result));
    expect(titles.length).toBeGreaterThan(2);
    expect(inMarkdown(reportMarkdown(result))).toEqual(titles);
  });

  it('say nothing of samples where there are none', async () => {
    const titles = inText(reportText(await traced()));
    expect(titles).not.toContain('Leak');
    expect(titles).not.toContain('Measured');
    expect(titles[0]).toMatch(/^Out of memory/);
  });

  it('give the page its tiles and what memory was made of', async () => {
    const page = { iterationAt: () => '', live: false };
    const titles = (result: Report) => reportTiles(result, page).map(({ title }) => title);
    expect(titles(sampled())).toEqual([
      'Peak of the process tree',
      'Held most of it',
      'Leak',
      'Out of memory',
    ]);
    const trace = await traced();
    expect(titles(trace).slice(-2)).toEqual(['Leak', 'Out of memory']);
    const [account] = reportAccounts(trace);
    expect(account?.bytes).toBe(trace.devices[0]!.peakRequestedBytes);
    expect(account?.parts.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(account?.bytes);
  });
});
