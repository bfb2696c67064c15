import type { Comparison } from '../../analyses/compare/index.ts';
import { panelsFromColumns } from '../../analyses/panels/columns.ts';
import { zoomedPanels } from '../../analyses/panels/zoomed.ts';
import type { Report } from '../../analyses/report.ts';
import type { Sweep } from '../../analyses/sweep/index.ts';
import type { Columns } from '../../model/columns.ts';
import type { InputInfo } from '../../model/inputs-info.ts';
import type { Scene } from '../../views/chart/scene.ts';
import { sharePicture } from '../../views/chart/share-picture.ts';
import { panelsChart, panelsTitle } from '../../views/chart/timeline/panels.ts';
import { comparisonMarkdown } from '../../views/compare/comparison.ts';
import { answer } from '../../views/report/answer.ts';
import { reportMarkdown } from '../../views/report/markdown.ts';
import { reportAccounts } from '../../views/report/page.ts';
import { provenanceLine } from '../../views/report/provenance.ts';
import { sweepMarkdown } from '../../views/sweep/sweep.ts';
import type { PageState } from '../address.ts';
import { chosenPanels } from '../pages/overview/timeline.tsx';
import { scenesPng } from '../parts/scene-png.ts';
import { store } from '../store.ts';
import { theme } from '../theme.ts';
import { seriesLooks } from '../timeline/series-looks.ts';
import { tablesMarkdown } from './page-tables.ts';

/** As wide as an issue or a chat shows a picture without making it smaller. */
const WIDTH = 960;
const PANEL_HEIGHT = 220;
/** What the overview has asked for already, and a one-file report carries. */
const COLUMNS = 4000;

/** Headline, the curves that it is about, what the memory was made of, and of what all this is. */
export async function runPicture(run: InputInfo): Promise<Blob> {
  const report = await store.get<Report>(`run/${run.id}/report`);
  const [account = null] = reportAccounts(report);
  const words = { headline: answer(report), account, provenance: provenanceLine(report) };
  const chart = run.resources.includes('timeline') ? await runChart(run, report) : null;
  return scenesPng(sharePicture(words, chart, WIDTH, theme.peek()));
}

async function runChart(run: InputInfo, report: Report): Promise<Scene> {
  const columns = await store.get<Columns>(`run/${run.id}/timeline`, { columns: COLUMNS });
  const panels = chosenPanels(panelsFromColumns(columns), report);
  const [low, high] = panels.span;
  const shown = zoomedPanels(panels, { clock: panels.clock, low, high, columns: WIDTH });
  return panelsChart(shown, {
    title: panelsTitle(shown),
    width: WIDTH,
    panelHeight: PANEL_HEIGHT,
    theme: theme.peek(),
    domain: { low, high },
    look: seriesLooks(theme.peek()),
  }).scene;
}

/** What the page is about, as `--markdown` of the command has it. */
export async function pageMarkdown(
  page: string,
  run: InputInfo,
  state: PageState,
): Promise<string> {
  const resources = store.inputs.value?.resources ?? [];
  if (page === 'compare' && resources.includes('sweep')) {
    return sweepMarkdown(await store.get<Sweep>('job/sweep'));
  }
  if (page === 'compare') {
    const { series, against } = state;
    return comparisonMarkdown(await store.get<Comparison>('job/compare', { series, against }));
  }
  if (run.resources.includes('report')) {
    return reportMarkdown(await store.get<Report>(`run/${run.id}/report`));
  }
  return tablesMarkdown(run.name);
}
