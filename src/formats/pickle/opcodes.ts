/** Opcodes that are not followed; step.ts has those that are. pickletools.py names them all. */

/** Those that make Python import, call or look up something: never followed. */
export const RUNS_CODE: Readonly<Record<number, string>> = {
  80: 'PERSID',
  81: 'BINPERSID',
  82: 'REDUCE',
  98: 'BUILD',
  99: 'GLOBAL',
  105: 'INST',
  111: 'OBJ',
  129: 'NEWOBJ',
  130: 'EXT1',
  131: 'EXT2',
  132: 'EXT4',
  146: 'NEWOBJ_EX',
  147: 'STACK_GLOBAL',
  151: 'NEXT_BUFFER',
};

/** Known, and of no use in plain data of protocol 2 and newer. */
export const NOT_READ: Readonly<Record<number, string>> = {
  70: 'FLOAT',
  73: 'INT',
  76: 'LONG',
  83: 'STRING',
  86: 'UNICODE',
  103: 'GET',
  112: 'PUT',
  143: 'EMPTY_SET',
  144: 'ADDITEMS',
  145: 'FROZENSET',
  152: 'READONLY_BUFFER',
};
