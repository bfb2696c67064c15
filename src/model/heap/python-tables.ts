/**
 * The interpreter's own tables, roots of every Python heap (docs/python-heap.md), by what their entries are to a
 * program. The names are ours: they tell nothing of anybody.
 */
export const PYTHON_TABLES: ReadonlyMap<string, string> = new Map([
  ['i0_modules', ''],
  ['i0_sysdict', 'sys.'],
  ['i0_builtins', 'builtins.'],
]);
