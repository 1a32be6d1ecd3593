/** A stack of resources to close, last opened first. It stands in for AsyncDisposableStack, which Node has from version 24 on. */
export class CloseStack {
  readonly #closeFunctions: (() => Promise<unknown>)[] = [];

  add(close: () => Promise<unknown>): void {
    this.#closeFunctions.push(close);
  }

  /** Closes all resources, even if closing one of them fails. Throws the last such error after that. */
  async close(): Promise<void> {
    const close = this.#closeFunctions.pop();
    if (close === undefined) return;
    try {
      await close();
    } finally {
      await this.close();
    }
  }
}
