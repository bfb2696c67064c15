import { createHash } from 'node:crypto';

/** What makes the page: as it is built. */
export interface PageCode {
  readonly script: string;
  readonly style: string;
  /** Of what is in it, for who reads the source. */
  readonly notices: string;
}

/**
 * The page as one HTML file. Only its own script and style may act, known by their hashes, and nothing may be fetched; data lies in
 * blocks that are not run.
 */
export function htmlFile(
  { script, style, notices }: PageCode,
  blocks: readonly string[],
): string[] {
  return [
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
    `<meta http-equiv="Content-Security-Policy" content="${policy(script, style)}">\n`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
    '<meta name="color-scheme" content="light dark">\n',
    '<title>Highwater</title>\n<link rel="icon" href="data:,">\n',
    `<style>${style}</style>\n</head>\n<body>\n<div id="app"></div>\n`,
    '<noscript>This page draws its charts with JavaScript, which is switched off here.</noscript>\n',
    ...blocks,
    `<script>${script}</script>\n`,
    comment(notices),
    '</body>\n</html>\n',
  ];
}

/** Base64 has nothing that could end the block. */
export function block(name: string, kind: string, bytes: Uint8Array): string {
  const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
  return `<script type="application/octet-stream" data-highwater="${escaped(name)}" data-kind="${kind}">${base64}</script>\n`;
}

/** For who reads the source. Two hyphens could end the comment. */
const comment = (text: string) => `<!--\n${text.replace(/-(?=-)/g, '- ')}-->\n`;

/** Text, or what an attribute says. */
export const escaped = (text: string) =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

function policy(script: string, style: string): string {
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  return (
    `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; ` +
    "img-src data: blob:; worker-src blob:; base-uri 'none'; form-action 'none'"
  );
}
