/** What must not be given away: paths, names of people and machines, names and texts of their programs. */
export { isPublicFile } from './paths.ts';
export { Redactor, usersIn } from './redactor.ts';
