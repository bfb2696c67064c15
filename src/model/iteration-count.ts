/**
 * How many iterations a workload has done, from marks that name them. Some trainings print each
 * one, some every hundredth, some start anew at each epoch: the larger of "marks seen" and "steps
 * that the numbers went up by" is right for all of them.
 */
export class IterationCount {
  #marks = 0;
  #steps = 0;
  #last: number | null = null;

  add(iteration: number | null | undefined): number {
    this.#marks++;
    if (typeof iteration === 'number') {
      if (this.#last !== null && iteration > this.#last) this.#steps += iteration - this.#last;
      this.#last = iteration;
    }
    return this.done;
  }

  get done(): number {
    return Math.max(this.#marks, this.#steps);
  }
}
