/** Less is not worth the wait. */
const LEAST_BYTES = 16 << 20;

/**
 * Gives large buffers back at once, and leaves arrays over them empty: else they stay until the collector comes, which may be
 * after as much again was taken. A message that nobody can receive is thrown away, with what was handed over in it.
 */
export async function releaseMemory(buffers: readonly ArrayBuffer[]): Promise<void> {
  const bytes = buffers.reduce((sum, { byteLength }) => sum + byteLength, 0);
  if (bytes < LEAST_BYTES) return;
  const { port1, port2 } = new MessageChannel();
  port2.close();
  // The other end is closed when it is this one's turn again.
  await new Promise((resolve) => setTimeout(resolve));
  port1.postMessage(null, [...buffers]);
  port1.close();
}
