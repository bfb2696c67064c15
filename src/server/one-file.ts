import { deflateSync } from 'node:zlib';
import { answer } from '../answers/answer.ts';
import { embeddedQuestions, questionText } from '../answers/embedded-questions.ts';
import type { InputsInfo } from '../model/inputs-info.ts';
import type { EncodedAnswer } from '../model/questions.ts';
import { pageAssets } from './assets.ts';
import { block, htmlFile } from './html-file.ts';
import type { ViewInputs } from './inputs.ts';

/** The page and its data in one HTML file, which opens from a disk and asks nobody for anything. */
export async function oneFile(opened: ViewInputs): Promise<string[]> {
  const assets = pageAssets();
  const text = (name: string) => assets.get(name)?.bytes.toString('utf8') ?? '';
  const workers = [...assets.keys()].filter((name) => name.endsWith('-worker.js'));
  const blocks: string[] = [];
  const leftOut = new Set<string>();
  for (const { resource, run, path, queries } of embeddedQuestions(opened)) {
    for (const query of queries) {
      blocks.push(dataBlock(questionText(path, query), await answer(opened, path, query)));
    }
    const without = resource.leftOut?.(opened, run);
    if (without) leftOut.add(without);
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

function dataBlock(question: string, { kind, bytes }: EncodedAnswer): string {
  return block(`data:${question}`, kind, deflateSync(bytes));
}
