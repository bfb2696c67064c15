import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import type { InputsInfo } from '../model/inputs-info.ts';
import { pageAssets } from './assets.ts';
import type { ViewInputs } from './inputs.ts';
import { answer, type EncodedAnswer } from './query.ts';
import { RESOURCES } from './resources/index.ts';
import type { OpenRun, Resource } from './resources/resource.ts';

/**
 * The page and its data in one HTML file, which opens from a disk and asks nobody for anything. Only
 * the page's own script and style may act, known by their hashes; data lies in blocks that are not run.
 */
export async function oneFile(opened: ViewInputs): Promise<string[]> {
  const assets = pageAssets();
  const text = (name: string) => assets.get(name)?.bytes.toString('utf8') ?? '';
  const [script, style] = [text('app.js'), text('app.css')];
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
  return [
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
    `<meta http-equiv="Content-Security-Policy" content="${policy(script, style)}">\n`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
    '<meta name="color-scheme" content="light dark">\n',
    '<title>Highwater</title>\n<link rel="icon" href="data:,">\n',
    `<style>${style}</style>\n</head>\n<body>\n<div id="app"></div>\n`,
    '<noscript>This page draws its charts with JavaScript, which is switched off here.</noscript>\n',
    block('job', 'json', Buffer.from(JSON.stringify(info)).toString('base64')),
    ...blocks,
    ...workers.map((name) =>
      block(`worker:${name.slice(0, -3)}`, 'script', assets.get(name)!.bytes.toString('base64')),
    ),
    `<script>${script}</script>\n`,
    comment(text('notices.txt')),
    '</body>\n</html>\n',
  ];
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
  return block(`data:${question}`, kind, deflateSync(bytes).toString('base64'));
}

/** Base64 has nothing that could end the block. */
function block(name: string, kind: string, base64: string): string {
  return `<script type="application/octet-stream" data-highwater="${attribute(name)}" data-kind="${kind}">${base64}</script>\n`;
}

/** For who reads the source. Two hyphens could end the comment. */
const comment = (text: string) => `<!--\n${text.replace(/-(?=-)/g, '- ')}-->\n`;

const attribute = (text: string) =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

function policy(script: string, style: string): string {
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  return (
    `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; ` +
    "img-src data: blob:; worker-src blob:; base-uri 'none'; form-action 'none'"
  );
}
