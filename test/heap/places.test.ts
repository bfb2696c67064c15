import { describe, expect, it } from 'vitest';
import { heapOf } from '../../src/analyses/heap/index.ts';
import { placesOf, placeText } from '../../src/analyses/heap/places/index.ts';
import { graphOf } from './graphs.ts';

describe('places of a Python heap', () => {
  const graph = graphOf('root -> cache\n  cache -> item\n  alone -> other');
  const places = placesOf(heapOf(graph));
  const at = (name: string) =>
    graph.nodes.name.findIndex((text) => graph.strings.text(text) === name);
  const place = (name: string) => placeText(places.of(at(name)));

  it('none is without a name: the roots themselves, and what nothing leads to', () => {
    expect(place('root')).toBe("(Python's own roots)");
    expect(place('other')).toMatch(/\w/);
    expect(place('alone')).toBe('(no way from the roots)');
    expect(place('item')).toMatch(/\w/);
  });
});
