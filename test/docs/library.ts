import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const TRAINING = `
import time
held = []
for i in range(1, 6):
    held.append(bytearray(8 << 20))
    print(f"iteration {i}")
    time.sleep(0.05)
`;

/** The program that docs/library.md shows. */
export function libraryExample(): string {
  return /```js\n(.*?)```/s.exec(readFileSync('docs/library.md', 'utf8'))![1]!;
}

/** A folder in which that program runs, with what it records. */
export function writeLibraryExample(home: string): void {
  writeFileSync(join(home, 'train.py'), TRAINING);
  writeFileSync(join(home, 'example.mjs'), libraryExample());
}

/** The same with this checkout as the package. */
export function libraryHome(home: string): string {
  mkdirSync(join(home, 'node_modules'), { recursive: true });
  symlinkSync(resolve('.'), join(home, 'node_modules', 'highwater'));
  writeLibraryExample(home);
  return home;
}
