/** As heap_pairs.py, for Node. */
const TURNS = 90;
const TURN_MS = 120;
const objects = (count) => Array.from({ length: count }, (_, i) => ({ i, list: [i] }));

const PROGRAMS = {
  'Node, objects': () => {
    const keep = objects(150_000);
    return () => keep.reduce((sum, { i }) => sum + i, 0);
  },
  'Node, objects that leak': () => {
    const keep = [];
    return () => keep.push(objects(2000));
  },
};

const work = PROGRAMS[process.argv[2]]();
for (let i = 0; i < TURNS; i++) {
  const began = performance.now();
  work();
  console.log(`iteration ${i}`);
  await new Promise((resolve) =>
    setTimeout(resolve, Math.max(0, TURN_MS - (performance.now() - began))),
  );
}
