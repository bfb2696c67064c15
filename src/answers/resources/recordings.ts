import type { Resource } from './resource.ts';

/** The recordings that lie here; with `path` what one of them was. */
export const recordings: Resource = {
  name: 'recordings',
  scope: 'job',
  has: ({ here }) => here !== undefined,
  async get({ here }, _run, query) {
    const { places, recordings: found, open } = here!();
    const path = query.get('path');
    return path === null ? { places, recordings: found } : open(path);
  },
  // They are of this machine, and a file goes elsewhere.
  embed: () => null,
};
