/** The package's version; the build puts package.json's in its place. */
declare const HIGHWATER_VERSION: string | undefined;

export const VERSION: string =
  typeof HIGHWATER_VERSION === 'string' ? HIGHWATER_VERSION : '0.0.0-source';
