import { cleanUpAfterFile } from './file-cleanup.ts';

// Run before every test file, also of those that share a process.
cleanUpAfterFile();
