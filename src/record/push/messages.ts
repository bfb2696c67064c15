import type { MessagePort } from 'node:worker_threads';
import type { Counts, RunFacts } from '../../metrics/samples.ts';
import type { Sent } from '../../metrics/send/sender.ts';
import type { PushSettings } from './settings.ts';

/** What the main and the pushing thread say to each other. */
export interface PushThreadData {
  readonly settings: PushSettings;
  readonly facts: RunFacts;
  /** Windows come from here, from the writing thread. */
  readonly windows: MessagePort;
}

export type ToPush =
  | { readonly type: 'facts'; readonly facts: RunFacts; readonly counts: Counts }
  | {
      readonly type: 'finish';
      readonly facts: RunFacts;
      readonly counts: Counts;
      readonly withinMs: number;
    };

export type FromPush =
  /** A window has ended: what is known of the run by now? */
  | { readonly type: 'facts?' }
  | { readonly type: 'exposed'; readonly url: string }
  /** To be said: it may pass. */
  | { readonly type: 'problem'; readonly text: string }
  /** To be said and kept. */
  | { readonly type: 'warning'; readonly text: string }
  | { readonly type: 'finished'; readonly sent: Sent | null };
