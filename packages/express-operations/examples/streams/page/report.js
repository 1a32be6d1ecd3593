import { chunksOf, element, format, megabytes, show, transfer } from "./transfer.js";

const [button, progress, status, result] = ["report", "report-progress", "report-status", "report-result"].map(element);
const BYTES_PER_MS = 8_000;

/** The chunks that have arrived, and the tag of the file that they belong to. */
let chunks = [];
let received = 0;
let etag;

const downloadOrInterrupt = transfer(button, status, {
  labelOf: (isRunning) => (isRunning ? "Interrupt" : received > 0 ? "Resume download" : "Start download"),
  stopped: () => `Interrupted after ${format(received)} bytes`,
  receive: async (signal) => {
    result.textContent = "";
    await readRest(signal);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await new Blob(chunks).arrayBuffer()));
    show(status, `Complete: ${format(received)} bytes`);
    result.textContent = `SHA-256 ${digest.toHex()}`;
    [chunks, received] = [[], 0];
  },
});

button.addEventListener("click", () => void downloadOrInterrupt());

async function readRest(signal) {
  // If-Range: a file that has changed is sent whole
  const headers = received > 0 ? { Range: `bytes=${received}-`, "If-Range": etag } : {};
  const response = await fetch("/v1/report", { headers, signal, cache: "no-store" });
  if (!response.ok) throw new Error((await response.json()).message);
  if (response.status !== 206) [chunks, received] = [[], 0];
  etag = response.headers.get("ETag");
  const size = received + Number(response.headers.get("Content-Length"));
  for await (const chunk of chunksOf(response.body)) {
    chunks.push(chunk);
    received += chunk.length;
    progress.value = received / size;
    show(status, `${megabytes(received)} of ${megabytes(size)}`);
    // A slow reader, so that there is time to interrupt. The server waits for it.
    await new Promise((resume) => setTimeout(resume, chunk.length / BYTES_PER_MS));
  }
}
