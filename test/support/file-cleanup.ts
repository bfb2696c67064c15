import { afterAll } from 'vitest';

/**
 * What is to be done when a test file has ended. Files may share a process, and then a helper is
 * imported once for all of them: a hook of its own would be the first file's only.
 */
const jobs = new Set<() => Promise<void> | void>();

export function afterEachFile(job: () => Promise<void> | void): void {
  jobs.add(job);
}

/** Of the file that is about to run: called by each-file.ts. */
export function cleanUpAfterFile(): void {
  afterAll(async () => {
    for (const job of jobs) await job();
  });
}
