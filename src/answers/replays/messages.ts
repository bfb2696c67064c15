import type { Replayed, ReplayOptions } from '../../analyses/allocations/replay/replayed.ts';
import type { Requests } from '../../analyses/allocations/replay/requests.ts';
import type {
  Search,
  SearchProgress,
  Smallest,
} from '../../analyses/allocations/what-if/smallest.ts';

export type ToReplayThread =
  /** First of all. */
  | { readonly type: 'program'; readonly requests: Requests }
  | { readonly type: 'replay'; readonly options: ReplayOptions }
  | { readonly type: 'smallest'; readonly search: Search };

export type FromReplayThread =
  | { readonly type: 'replaying'; readonly eventsDone: number }
  | { readonly type: 'searching'; readonly progress: SearchProgress }
  | { readonly type: 'replayed'; readonly replayed: Replayed }
  | { readonly type: 'found'; readonly smallest: Smallest };

/** A thread for the replays of one program, one at a time; of Node or of a browser. */
export interface ReplayThread {
  /** `requests`: the program, asked for once. Ends with the thread. */
  ask(requests: () => Requests, message: ToReplayThread): AsyncIterable<FromReplayThread>;
  end(): Promise<void>;
}
