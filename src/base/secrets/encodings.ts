import { HIDDEN } from './values.ts';

const PERCENT = /[^\s'"`]*%[0-9a-f]{2}[^\s'"`]*/gi;
const BASE64 = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,}={0,2}(?![A-Za-z0-9+/=_-])/g;
const HEX = /(?<![0-9a-z])(?:[0-9a-f]{2}){12,}(?![0-9a-z])/gi;
const PRINTABLE = /^[\x20-\x7e\s]+$/;
/** Longer runs are data. */
const LONGEST = 1 << 16;

/** Looks for secrets in what is encoded within a text: `%22token%22%3A%22x%22`, base64, hexadecimal. */
export function withoutEncoded(text: string, clean: (inner: string) => string): string {
  let said = text;
  if (said.includes('%')) {
    said = said.replace(PERCENT, (run) => {
      const inner = decoded(run, () => decodeURIComponent(run.replaceAll('+', ' ')));
      const cleaned = inner === null ? null : clean(inner);
      return cleaned === null || cleaned === inner ? run : encodeURIComponent(cleaned);
    });
  }
  const hide = (run: string, decode: () => string) => {
    const inner = decoded(run, decode);
    return inner !== null && clean(inner) !== inner ? HIDDEN : run;
  };
  return said
    .replace(BASE64, (run) =>
      hide(run, () => atob(run.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, ''))),
    )
    .replace(HEX, (run) => hide(run, () => fromHex(run)));
}

function decoded(run: string, decode: () => string): string | null {
  if (run.length > LONGEST) return null;
  try {
    const inner = decode();
    return PRINTABLE.test(inner) ? inner : null;
  } catch {
    return null;
  }
}

function fromHex(run: string): string {
  let text = '';
  for (let i = 0; i < run.length; i += 2) {
    text += String.fromCharCode(Number.parseInt(run.slice(i, i + 2), 16));
  }
  return text;
}
