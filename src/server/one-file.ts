import { deflateSync } from 'node:zlib';
import type { InputsInfo } from '../model/inputs-info.ts';
import type { EncodedAnswer } from '../model/questions.ts';
import { pageAssets } from './assets.ts';
import { block, htmlFile } from './html-file.ts';
import type { ViewInputs } from './inputs.ts';
import { answer } from './query.ts';
import { RESOURCES } from './resources/index.ts';
import type { OpenRun, Resource } from './resources/resource.ts';

/** The page and its data in one HTML file, which opens from a disk and asks nobody for anything. */
export async function oneFile(opened: ViewInputs): Promise<string[]> {
  const assets = pageAssets();
  const text = (name: string) => assets.get(name)?.bytes.toString('utf8') ?? '';
  const workers = [...assets.keys()].filter((name) => name.endsWith('-worker.js'));
  const blocks: string[] = [];
  const leftOut = new Set<string>();
  for (const resource of RESOURCES) {
    for (const run of resource.scope === 'run' ? opened.runs : [undefined]) {
      if (!resource.has(opened, run)) continue;
      blocks.push(...(await embedded(opened, resource, run)));
      const without = resource.leftOut?.(opened, run);
      if (without) leftOut.add(without);
    }
  }
  const info: InputsInfo = { ...opened.info, live: false, leftOut: [...leftOut] };
  return htmlFile(
    { script: text('app.js'), style: text('app.css'), notices: text('notices.txt') },
    [
      block('job', 'json', Buffer.from(JSON.stringify(info))),
      ...blocks,
      ...workers.map((name) =>
        block(`worker:${name.slice(0, -3)}`, 'script', assets.get(name)!.bytes),
      ),
    ],
  );
}

async function embedded(opened: ViewInputs, resource: Resource, run?: OpenRun): Promise<string[]> {
  const queries = resource.embed ? resource.embed(opened, run) : [''];
  const path = run ? `run/${run.id}/${resource.name}` : `job/${resource.name}`;
  const blocks: string[] = [];
  for (const query of queries ?? []) {
    const question = query === '' ? path : `${path}?${sorted(query)}`;
    blocks.push(dataBlock(question, await answer(opened, path, query)));
  }
  return blocks;
}

/** As the page writes its questions. */
function sorted(query: string): string {
  const words = new URLSearchParams(query);
  words.sort();
  return words.toString();
}

function dataBlock(question: string, { kind, bytes }: EncodedAnswer): string {
  return block(`data:${question}`, kind, deflateSync(bytes));
}
