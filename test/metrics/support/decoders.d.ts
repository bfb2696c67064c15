declare module 'snappyjs' {
  export function uncompress(packed: Uint8Array): Uint8Array;
}
declare module 'pbf/compile' {
  export function compile(schema: unknown): Record<string, unknown>;
}
declare module 'protocol-buffers-schema' {
  const schema: { parse(text: string): unknown };
  export default schema;
}
