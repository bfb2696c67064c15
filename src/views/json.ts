/** Any result as JSON for programs. What was not measured is null, never NaN or a missing key. */
export function resultJson(result: { readonly type: string }): string {
  const plain = (_key: string, value: unknown) => (value === undefined ? null : value);
  return `${JSON.stringify(result, plain, 2)}\n`;
}
