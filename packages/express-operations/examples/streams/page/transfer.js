/** Returns the element with an id. */
export const element = (id) => document.getElementById(id);

/** Formats a number for people. */
export const format = (number) => number.toLocaleString("en-GB");

/** Formats a size in bytes. */
export const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

/** Shows a sentence below a transfer, and whether it names a failure. */
export function show(status, text, isFailure = false) {
  status.textContent = text;
  status.toggleAttribute("data-failed", isFailure);
}

/** Labels the button that starts a transfer, or stops the one that is running. */
export function label(button, text, isRunning) {
  button.textContent = text;
  button.toggleAttribute("data-running", isRunning);
}

/**
 * Returns the function of a button that starts a transfer, and stops the one that is running. `receive` gets the signal
 * that ends it. `labelOf` returns the label of the button, and `stopped` the status of a transfer that was stopped.
 */
export function transfer(button, status, { labelOf, receive, stopped }) {
  let running;
  return async () => {
    if (running) return running.abort();
    const { signal } = (running = new AbortController());
    label(button, labelOf(true), true);
    try {
      await receive(signal);
    } catch (error) {
      show(status, signal.aborted ? stopped() : error.message, !signal.aborted);
    } finally {
      running = undefined;
      label(button, labelOf(false), false);
    }
  };
}

/** Returns the chunks of a stream. Not every browser iterates a stream itself. */
export async function* chunksOf(stream) {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

/** Returns the lines of a response while they arrive. Throws the message of a response that is not successful. */
export async function* linesOf(response) {
  if (!response.ok) throw new Error((await response.json()).message);
  let rest = "";
  for await (const text of chunksOf(response.body.pipeThrough(new TextDecoderStream()))) {
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    yield* lines;
  }
}
