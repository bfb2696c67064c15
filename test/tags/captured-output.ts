import { describeError, UserError } from '../../src/base/errors.ts';

/** What a command says and how it ends, run in a folder; errors as the command line prints them. */
export async function capturedOutput(cwd: string, command: () => Promise<number>) {
  const here = process.cwd();
  const { stdout, stderr } = process;
  const kept = { out: stdout.write, err: stderr.write };
  const text = { out: '', err: '' };
  process.chdir(cwd);
  const into = (name: 'out' | 'err') => (words: unknown) => {
    text[name] += String(words);
    return true;
  };
  stdout.write = into('out');
  stderr.write = into('err');
  let code: number;
  try {
    code = await command();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    code = error.exitCode;
    text.err += `${describeError(error)}${error.hint ? ` (${error.hint})` : ''}\n`;
  } finally {
    stdout.write = kept.out;
    stderr.write = kept.err;
    process.chdir(here);
  }
  return { code, ...text };
}
