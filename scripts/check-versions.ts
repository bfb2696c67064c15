import { versionProblems } from './release/checks.ts';

/** One version for npm, pip and the agent, part of `npm run check`. */
const problems = versionProblems();
for (const problem of problems) console.error(`versions: ${problem}`);
process.exitCode = problems.length > 0 ? 1 : 0;
