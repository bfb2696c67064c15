import { leaveNothing } from './leftovers.ts';

// Run before every test file, also of those that share a process.
leaveNothing();
