import { element, format, label, megabytes, show } from "./elements.js";

const [form, button, progress, status, result] = [
  "upload-form",
  "upload",
  "upload-progress",
  "upload-status",
  "upload-result",
].map(element);

/** The upload that is running. */
let running;

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (running) running.abort();
  else send();
});

/** `fetch` reports no progress of uploads, so this is an `XMLHttpRequest`. */
function send() {
  const body = new FormData();
  body.set("file", element("file").files[0]);
  const request = (running = new XMLHttpRequest());
  request.responseType = "json";
  request.upload.addEventListener("progress", ({ loaded, total }) => {
    progress.value = loaded / total;
    show(status, `${megabytes(loaded)} of ${megabytes(total)}`);
  });
  request.addEventListener("load", () => received(request));
  request.addEventListener("abort", () => show(status, "Cancelled"));
  request.addEventListener("error", () => show(status, "The connection broke off. Upload the file again.", true));
  request.addEventListener("loadend", () => {
    running = undefined;
    label(button, "Upload", false);
  });
  label(button, "Cancel", true);
  progress.value = 0;
  result.textContent = "";
  show(status, "Sending");
  request.open("POST", "/v1/uploads");
  request.send(body);
}

function received({ status: code, response }) {
  if (code !== 200) return show(status, response?.message ?? `The server responded with ${code}.`, true);
  show(status, `The server received ${format(response.size)} bytes of ${response.name}`);
  result.textContent = `SHA-256 ${response.sha256}`;
}
