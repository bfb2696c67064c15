/** Any result as JSON for programs. What was not measured is null, never NaN or a missing key. */
export function resultJson(result: { readonly type: string }): string {
  const plain = (_key: string, value: unknown) => (value === undefined ? null : value);
  return `${escaped(JSON.stringify(result, plain, 2))}\n`;
}

/** What JSON may hold as it is, but a terminal may take for a command: the text stays the same to a reader. */
const escaped = (json: string) =>
  json.replace(
    /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
