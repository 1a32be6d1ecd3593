/** What has to be closed, the last first. Node has AsyncDisposableStack from 24 on only. */
export class Closings {
  readonly #closings: (() => Promise<unknown>)[] = [];

  add(close: () => Promise<unknown>): void {
    this.#closings.push(close);
  }

  /** Closes all, also when one of them fails, which then throws. */
  async close(): Promise<void> {
    const close = this.#closings.pop();
    if (close === undefined) return;
    try {
      await close();
    } finally {
      await this.close();
    }
  }
}
