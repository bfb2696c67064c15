let workspace = new Float32Array(0);

/**
 * Scratch memory that lasts until the next call. One array serves all the convolutions: an array
 * for each would be garbage at once, and the collector would decide when memory falls.
 */
export function scratch(size: number): Float32Array {
  if (workspace.length < size) workspace = new Float32Array(size);
  return workspace.length === size ? workspace : workspace.subarray(0, size);
}
