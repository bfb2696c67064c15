/** What other tools call it, and what it is called here; docs/from-other-tools.md has whole tasks. */
const WORDS: readonly (readonly [words: string, here: string])[] = [
  ['run start exec trace time', 'highwater record -- python train.py'],
  [
    'attach',
    'highwater record --pid PID watches a running program; heap --pid PID takes its objects',
  ],
  [
    'profile prof memory_profiler',
    'highwater record -- python train.py, --layers for what each layer holds',
  ],
  ['peak max usage', 'highwater record -- CMD prints the peak; highwater report shows it again'],
  [
    'top live watch monitor ps free smi',
    'highwater record --live -- CMD; highwater record alone watches the machine',
  ],
  [
    'flamegraph flame icicle',
    'highwater view, page “Flame”; highwater export --to collapsed for other tools',
  ],
  ['tree table stats summary info show print', 'highwater report'],
  ['graph chart draw png svg', 'highwater plot -o memory.png'],
  ['diff delta', 'highwater compare A B'],
  ['ls runs history recordings', 'highwater list'],
  ['open serve ui web browse gui dashboard', 'highwater view'],
  ['leak leaks leakcheck', 'highwater report says whether it leaks; check --no-leak for CI'],
  ['snapshot oom memory_viz', 'highwater report SNAPSHOT.pickle'],
  ['dump objects heapy', 'highwater heap --pid PID'],
  ['test assert ci limit', 'highwater check'],
  ['convert transform parse', 'highwater import FILE, highwater export --to csv'],
  ['share zip anonymize redact', 'highwater pack --redact'],
  ['whatif predict estimate fit', 'highwater sweep --param batch=4,8,16 --fit 24GiB -- CMD'],
  ['clean rm remove delete', 'recordings are folders (highwater list): rm -r one'],
];

/** What to type instead of another tool's word; null where nobody calls anything so. */
export function otherWord(word: string): string | null {
  const small = word.toLowerCase();
  return WORDS.find(([words]) => words.split(' ').includes(small))?.[1] ?? null;
}
