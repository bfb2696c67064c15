/**
 * What Highwater itself does in the workload's tree at the moment: the process tree knows, and the figures of
 * the control group, which has us in it too, heed it. Nothing of it is the workload's.
 */
export class OwnWork {
  /** Processes of ours that live there: a heap is written by a fork of the program. */
  processes = 0;
  /** A heap was asked for, and is not there yet: a fork may live between two looks. */
  asked = 0;
  /** Bytes that our work inside the workload's processes has left there, less what they lost by it. */
  insideBytes = 0;

  /** Whether pages that a process of the workload shares, or that its group is charged for, may be ours. */
  get busy(): boolean {
    return this.processes > 0 || this.asked > 0;
  }
}
