// Does what starts of the command line would, in one process. The program is the real one, its
// entry evaluated anew for each command that comes over the channel.
import { pathToFileURL } from 'node:url';

const cli = process.argv[2];
const names = ['stdout', 'stderr'];
// Each start listens for errors of its output.
for (const name of names) process[name].setMaxListeners(0);

let starts = 0;
async function start({ argv, cwd }) {
  const chunks = { stdout: [], stderr: [], output: [] };
  for (const name of names) {
    process[name].write = (chunk, ...more) => {
      for (const kept of [chunks[name], chunks.output]) kept.push(Buffer.from(chunk));
      for (const done of more) if (typeof done === 'function') done();
      return true;
    };
  }
  process.chdir(cwd);
  process.argv = [process.execPath, cli, ...argv];
  process.exitCode = undefined;
  await import(`${pathToFileURL(cli)}?start=${++starts}`);
  const texts = Object.entries(chunks).map(([name, all]) => [name, Buffer.concat(all).toString()]);
  process.send({ code: process.exitCode, ...Object.fromEntries(texts) });
  process.exitCode = 0;
}

process.on('message', start);
