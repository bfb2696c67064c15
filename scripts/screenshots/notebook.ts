import { spawnSync } from 'node:child_process';
import { chromium } from 'playwright-core';

/**
 * Makes docs/images/notebook.png: what `%%highwater` shows of cells that a real kernel runs, in light and in dark.
 * HIGHWATER_PYTHON names a Python with ipykernel, nbclient and numpy.
 *
 *     npx tsx scripts/screenshots/notebook.ts
 */
const CELLS = [
  '%load_ext highwater\nimport numpy as np',
  `%%highwater
images = np.random.default_rng(0).random((1000, 96, 96, 3), dtype="f4")
mean = images.mean(axis=0)
centred = images - mean
spectrum = np.fft.rfft2(centred, axes=(1, 2))
power = np.abs(spectrum).mean(axis=0)
del spectrum, centred`,
  `def forward(batch):
    hidden = np.repeat(batch, 4, axis=1)
    scaled = hidden / hidden.std()
    return scaled.reshape(7, -1)`,
  '%%highwater\nlogits = forward(images[:500])',
];
const CHROMIUM = process.env.HIGHWATER_CHROMIUM ?? '/usr/bin/chromium';

const { stdout, stderr, status } = spawnSync(
  process.env.HIGHWATER_PYTHON ?? '.venv/bin/python',
  ['test/notebook/run-cells.py'],
  {
    input: JSON.stringify(CELLS),
    encoding: 'utf8',
    env: { ...process.env, PYTHONPATH: 'python' },
  },
);
if (status !== 0) throw new Error(stderr);
const shown = (JSON.parse(stdout) as { html: string }[]).map(({ html }) => html).filter(Boolean);
const half = (background: string, color: string) =>
  `<div style="background:${background};color:${color};padding:16px 20px">${shown.join('<div style="height:20px"></div>')}</div>`;

const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu'],
});
const page = await browser.newPage({
  viewport: { width: 720, height: 100 },
  deviceScaleFactor: 2,
});
await page.setContent(
  `<!doctype html><body style="margin:0">${half('#fff', '#222')}${half('#111', '#ddd')}`,
);
await page.screenshot({ path: 'docs/images/notebook.png', fullPage: true });
await browser.close();
