import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Zippable, zipSync } from 'fflate';

/** A file of a wheel; `from` is a path in this checkout. */
export type WheelFile = { readonly path: string } & (
  | { readonly from: string }
  | { readonly text: string }
);

export interface Wheel {
  readonly name: string;
  readonly version: string;
  /** What it runs on: `manylinux_2_28_x86_64`. */
  readonly platform: string;
  /** The fields of METADATA in order, then the text that describes the package. */
  readonly metadata: readonly (readonly [field: string, value: string])[];
  readonly description: string;
  readonly entryPoints: Readonly<Record<string, readonly string[]>>;
  readonly licences: readonly WheelFile[];
  readonly files: readonly WheelFile[];
}

/** The same inputs give the same bytes: a wheel's times mean nothing. ZIP knows none before 1980. */
const TIME = new Date(1980, 0, 1);

export const wheelFileName = ({ name, version, platform }: Wheel) =>
  `${name.replaceAll('-', '_')}-${version}-py3-none-${platform}.whl`;

/** By the binary distribution format, version 1.0: a ZIP of what goes into site-packages, and a folder about it. */
export function wheelBytes(wheel: Wheel): Uint8Array {
  const about = `${wheel.name.replaceAll('-', '_')}-${wheel.version}.dist-info`;
  const files = [
    ...wheel.files,
    ...wheel.licences.map((file) => ({ ...file, path: `${about}/licenses/${file.path}` })),
    { path: `${about}/METADATA`, text: metadataText(wheel) },
    { path: `${about}/WHEEL`, text: wheelText(wheel) },
    { path: `${about}/entry_points.txt`, text: entryPointsText(wheel) },
  ].map((file) => [file.path, bytesOf(file)] as const);
  const record = [
    ...files.map(([path, bytes]) => `${path},sha256=${digest(bytes)},${bytes.length}\n`),
    `${about}/RECORD,,\n`,
  ];
  files.push([`${about}/RECORD`, Buffer.from(record.join(''))]);
  // Unix, and readable by everybody: what an ordinary user runs may have been installed by root.
  const attrs = 0o100644 << 16;
  const zip: Zippable = {};
  for (const [path, bytes] of files) zip[path] = [bytes, { os: 3, attrs }];
  return zipSync(zip, { level: 9, mtime: TIME });
}

const bytesOf = (file: WheelFile) =>
  'from' in file ? readFileSync(file.from) : Buffer.from(file.text);

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('base64url');

const metadataText = ({ name, version, metadata, description }: Wheel) =>
  [
    'Metadata-Version: 2.4',
    `Name: ${name}`,
    `Version: ${version}`,
    ...metadata.map(([field, value]) => `${field}: ${value}`),
    'Description-Content-Type: text/markdown',
    '',
    description,
  ].join('\n');

const wheelText = ({ platform }: Wheel) =>
  `Wheel-Version: 1.0\nGenerator: highwater\nRoot-Is-Purelib: false\nTag: py3-none-${platform}\n`;

const entryPointsText = ({ entryPoints }: Wheel) =>
  Object.entries(entryPoints)
    .map(([group, lines]) => `[${group}]\n${lines.join('\n')}\n`)
    .join('\n');
