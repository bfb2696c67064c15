import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

/** What a bundled package's licence asks those to carry along who pass it on. */
export interface Notice {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  readonly text: string;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string | { readonly type: string };
  readonly author?: string | { readonly name: string };
}

/** Of each package that left something in the bundles: what was dropped from them is passed on by nobody. */
export function noticesOf({ outputs }: Metafile): Notice[] {
  const folders = new Set<string>();
  for (const { inputs } of Object.values(outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const folder = bytesInOutput > 0 ? packageFolder(path) : undefined;
      if (folder) folders.add(folder);
    }
  }
  return [...folders].map(noticeOf);
}

/** By the name below node_modules: packages have further package.json files inside, which say less. */
const packageFolder = (path: string) =>
  /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0];

export function noticeOf(folder: string): Notice {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const { name, version, license, author } = manifest;
  const stated = typeof license === 'object' ? license.type : license;
  const by = typeof author === 'object' ? author.name : author;
  const licence = textsOf(folder, /^(licen[cs]e|copying)\b/i);
  if (licence.length === 0) {
    if (!stated) throw new Error(`${name} ${version} is bundled and names no licence`);
    licence.push(`${stated}${by ? `, by ${by}` : ''} (the package has no licence text)`);
  }
  // Apache's licence asks for the NOTICE file as well.
  const text = [...licence, ...textsOf(folder, /^notice\b/i)].join('\n\n');
  return { name, version, licence: stated ?? 'see below', text };
}

const textsOf = (folder: string, name: RegExp) =>
  readdirSync(folder)
    .filter((file) => name.test(file) && !/\.[cm]?[jt]s$/.test(file))
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8').replace(/\r\n/g, '\n').trim());

/** As a text for people; packages whose licences are the same to the letter share it. */
export function noticesText(all: readonly Notice[]): string {
  const titles = new Map<string, Set<string>>();
  const byName = [...all].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  for (const { name, version, licence, text } of byName) {
    const sharing = titles.get(text) ?? new Set();
    titles.set(text, sharing.add(`${name} ${version} (${licence})`));
  }
  const parts = [...titles].map(([text, names]) => `${[...names].join('\n')}\n\n${text}\n`);
  return `Highwater has parts of these packages in it, under their licences.\n\n${parts.join(`\n${'='.repeat(80)}\n\n`)}`;
}
