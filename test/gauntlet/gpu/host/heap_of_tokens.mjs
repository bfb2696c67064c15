// truth: {"cause": "limit", "by": ["node", "--max-old-space-size=96"]}
// A tokenizer's statistics outgrow the heap that the service was given.
const counts = new Map();
for (let text = 0; ; text++) {
  for (let word = 0; word < 2000; word++) counts.set(`${text}:${word * 7919}`, { text, seen: 1 });
  if (text % 20 === 0) console.log('text', text);
}
