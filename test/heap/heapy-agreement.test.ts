import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { needs, python } from '../support/programs.ts';

const FOLDER = 'test/fixtures/heap';
const PROGRAM = join(FOLDER, 'agreement.py');
type Counts = Record<string, number>;

/** Other versions make other objects behind a class; these are the program's own in all of them. */
const OWN =
  /^(dict of )?(__main__\..*|module|functools\.partial)$|^(dict of function|float|complex)$/;

function counted(tool: 'guppy3' | 'highwater'): { python: string; kinds: Counts } {
  const env = { ...process.env, PYTHONPATH: 'python' };
  return JSON.parse(execFileSync(python(), [PROGRAM, tool], { encoding: 'utf8', env }));
}

/** What guppy3 counts here, or what it counted when it was last installed beside this version of Python. */
function expected(version: string): { kinds: Counts; whole: boolean } {
  if (spawnSync(python(), ['-c', 'import guppy']).status === 0) {
    return { kinds: counted('guppy3').kinds, whole: true };
  }
  const recorded = JSON.parse(readFileSync(join(FOLDER, 'agreement.json'), 'utf8')).kinds;
  const minor = version.split('.').slice(0, 2).join('.');
  return { kinds: recorded[minor] ?? recorded['3.13'], whole: minor in recorded };
}

describe('kinds and counts of a Python process', () => {
  needs('python3')(
    'are those of Heapy',
    () => {
      const ours = counted('highwater');
      const { kinds: theirs, whole } = expected(ours.python);
      if (whole) {
        // Heapy counts the frame that asks it, and the tuple that it is asked with.
        const kinds: Counts = { ...theirs, tuple: theirs.tuple! - 1 };
        kinds['types.FrameType']! -= 1;
        if (kinds['types.FrameType'] === 0) delete kinds['types.FrameType'];
        expect(ours.kinds).toEqual(kinds);
      }
      const own = (all: Counts) => Object.entries(all).filter(([kind]) => OWN.test(kind));
      expect(own(ours.kinds)).toEqual(own(theirs));
      expect(ours.kinds).toMatchObject({ 'dict of function': 40, '__main__.Plain': 300 });
    },
    60_000,
  );
});
