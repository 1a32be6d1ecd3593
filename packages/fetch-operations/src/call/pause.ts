/** Resolves after a number of milliseconds, or as soon as the signal is aborted. */
export async function pause(milliseconds: number, signal?: AbortSignal | null): Promise<void> {
  if (signal?.aborted) return;
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener("abort", end);
  });
}
