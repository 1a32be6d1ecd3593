/**
 * Bounds the retries of all calls together, so that a failing service does not get a multiple of its load. A success returns
 * the retries that its call took and a tenth of a retry.
 */
export class RetryBudget {
  readonly #size: number;
  #left: number;

  constructor(size: number) {
    this.#size = size;
    this.#left = size;
  }

  /** Takes one retry. Returns false if none is left. */
  take(): boolean {
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }

  /** Returns the retries of a successful call. */
  refund(retries: number): void {
    this.#left = Math.min(this.#size, this.#left + retries + 0.1);
  }
}
