/** Returns the element with an id. */
export const element = (id) => document.getElementById(id);

/** Shows a sentence below a transfer, and whether it names a failure. */
export function show(status, text, isFailure = false) {
  status.textContent = text;
  status.toggleAttribute("data-failed", isFailure);
}

/** Formats a number for people. */
export const format = (number) => number.toLocaleString("en-GB");

/** Formats a size in bytes. */
export const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

/** Labels the button that starts a transfer, or stops the one that is running. */
export function label(button, text, isRunning) {
  button.textContent = text;
  button.toggleAttribute("data-running", isRunning);
}
