import { relative } from 'node:path';
import { circles, importsOf, sourceFiles } from './imports.ts';
import { ALLOWED, FAMILIES, NATIVE, NODE_ALLOWED } from './rooms.ts';

const problems: string[] = [];
const used = new Set<string>();
const imports = sourceFiles('src').flatMap(importsOf);
const inside = imports.filter(({ to }) => to.startsWith('src/'));
const roomOf = (file: string) => relative('src', file).split('/')[0]!;

for (const { from, to, typeOnly } of imports) {
  const room = roomOf(from);
  const mayImport = ALLOWED[room];
  if (!mayImport) {
    problems.push(`${from}: no such room as ${room}`);
  } else if (!to.startsWith('src/')) {
    const usesNode = to.startsWith('node:') || NATIVE.includes(to);
    if (usesNode && !NODE_ALLOWED.some((place) => from.startsWith(`src/${place}/`))) {
      problems.push(`${from} imports ${to}, but ${room} must also run in a browser`);
    }
  } else if (roomOf(to) !== room) {
    const target = [roomOf(to), ...(typeOnly ? [`${roomOf(to)} (types)`] : [])];
    const rule = target.find((name) => mayImport.includes(name));
    if (rule) used.add(`${room} → ${rule}`);
    else problems.push(`${from} imports ${to}: ${room} may not import ${roomOf(to)}`);
  }
}
for (const { from, to } of inside) problems.push(...familyProblem(from, to));
for (const [room, mayImport] of Object.entries(ALLOWED)) {
  for (const other of mayImport) {
    if (!used.has(`${room} → ${other}`)) problems.push(`${room} may import ${other}, never does`);
  }
}
for (const circle of circles(inside)) problems.push(`import circle: ${circle.join(', ')}`);

/** Two formats, two sources: each member is a file, or a folder when it is large. */
function familyProblem(file: string, target: string): string[] {
  for (const [family, shared] of Object.entries(FAMILIES)) {
    const member = (path: string) => relative(`src/${family}`, path).split('/')[0]!;
    const both = [file, target].every((path) => path.startsWith(`src/${family}/`));
    if (!both || shared.includes(member(file)) || shared.includes(member(target))) continue;
    if (member(file) !== member(target)) {
      return [`${file} imports ${target}: members of ${family} do not import each other`];
    }
  }
  return [];
}

for (const problem of problems) console.error(problem);
console.log(problems.length === 0 ? 'imports: in order' : `imports: ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
