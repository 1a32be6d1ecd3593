import { element, format, label, megabytes, show } from "./elements.js";

const [button, progress, status, result] = ["report", "report-progress", "report-status", "report-result"].map(element);
const BYTES_PER_MS = 8_000;

/** The download that is running. */
let running;
/** The chunks that have arrived, and the tag of the file that they belong to. */
let chunks = [];
let received = 0;
let etag;

button.addEventListener("click", () => {
  if (running) running.abort();
  else void receive();
});

/** Downloads the file, or the rest of it. */
async function receive() {
  running = new AbortController();
  label(button, "Interrupt", true);
  result.textContent = "";
  try {
    await readRest(running.signal);
    await finish();
  } catch (error) {
    const isStopped = running.signal.aborted;
    show(status, isStopped ? `Interrupted after ${format(received)} bytes` : error.message, !isStopped);
    label(button, received > 0 ? "Resume download" : "Start download", false);
  } finally {
    running = undefined;
  }
}

async function readRest(signal) {
  // If-Range: a file that has changed is sent whole
  const headers = received > 0 ? { Range: `bytes=${received}-`, "If-Range": etag } : {};
  const response = await fetch("/v1/report", { headers, signal, cache: "no-store" });
  if (!response.ok) throw new Error((await response.json()).message);
  if (response.status !== 206) [chunks, received] = [[], 0];
  etag = response.headers.get("ETag");
  const size = received + Number(response.headers.get("Content-Length"));
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    chunks.push(value);
    received += value.length;
    progress.value = received / size;
    show(status, `${megabytes(received)} of ${megabytes(size)}`);
    // A slow reader, so that there is time to interrupt. The server waits for it.
    await new Promise((resume) => setTimeout(resume, value.length / BYTES_PER_MS));
  }
}

async function finish() {
  const blob = new Blob(chunks, { type: "text/plain" });
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await blob.arrayBuffer()));
  show(status, `Complete: ${format(received)} bytes`);
  result.textContent = `SHA-256 ${digest.toHex()}`;
  [chunks, received] = [[], 0];
  label(button, "Start download", false);
}
