/** Sleeps that something else can cut short; each call to `interrupt` ends the one under way. */
export class InterruptibleSleep {
  #wake: (() => void) | null = null;
  interrupted = false;

  interrupt(): void {
    this.interrupted = true;
    this.#wake?.();
  }

  async for(seconds: number): Promise<void> {
    if (seconds <= 0 || this.interrupted) return;
    await new Promise<void>((resolve) => {
      // Timers hold at most 2³¹ ms; nobody waits longer than three weeks in one go.
      const timer = setTimeout(resolve, Math.min(seconds * 1000, 2 ** 31 - 1));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = null;
  }
}
