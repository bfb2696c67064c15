import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ALLOWED } from '../../scripts/rooms.ts';

const rooms = readdirSync('src', { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** Each room of src tells whoever comes next what lives there; what it says must stay true. */
describe.each(rooms)('the README of src/%s', (room) => {
  const text = readFileSync(`src/${room}/README.md`, 'utf8');

  it('is at most fifteen lines', () => {
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(15);
  });

  it('names files that are there', () => {
    const named = [...text.matchAll(/`([\w./-]+(?:\.tsx?|\/))`/g)].map(([, path]) => path!);
    expect(named.length).toBeGreaterThan(0);
    const places = [`src/${room}/`, 'src/', ''];
    const missing = named.filter((path) => !places.some((place) => existsSync(place + path)));
    expect(missing).toEqual([]);
  });

  it('says what the room may import, as it is enforced', () => {
    const said = /^May import: ([^.;\n]*)/m.exec(text)![1]!;
    const named = rooms.filter((name) => new RegExp(`\\b${name}\\b`).test(said));
    const others = rooms.filter((name) => name !== room && !named.includes(name));
    const allowed = ALLOWED[room]!.map((name) => name.replace(' (types)', ''));
    expect((said.startsWith('everything but') ? others : named).sort()).toEqual(allowed.sort());
  });
});
