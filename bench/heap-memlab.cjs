// Loads a snapshot with memlab as its own analyses do, and sums up sizes and retained sizes by kind.
const { getFullHeapFromFile } = require('@memlab/heap-analysis');

(async () => {
  const heap = await getFullHeapFromFile(process.argv[2]);
  const kinds = new Map();
  heap.nodes.forEach((node) => {
    const kind = node.type === 'object' ? node.name : node.type;
    const row = kinds.get(kind) ?? { count: 0, size: 0, retained: 0 };
    row.count += 1;
    row.size += node.self_size;
    row.retained += node.retainedSize;
    kinds.set(kind, row);
  });
  console.log(JSON.stringify({ nodes: heap.nodes.length, kinds: kinds.size }));
})();
