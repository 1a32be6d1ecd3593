import { element, format, megabytes, show, transfer } from "./transfer.js";

const [form, button, progress, status, result] = [
  "upload-form",
  "upload",
  "upload-progress",
  "upload-status",
  "upload-result",
].map(element);

const uploadOrCancel = transfer(button, status, {
  labelOf: (isRunning) => (isRunning ? "Cancel" : "Upload"),
  stopped: () => "Cancelled",
  receive: async (signal) => {
    progress.value = 0;
    result.textContent = "";
    show(status, "Sending");
    const { status: code, response } = await send(signal);
    if (code !== 200) throw new Error(response?.message ?? `The server responded with ${code}.`);
    show(status, `The server received ${format(response.size)} bytes of ${response.name}`);
    result.textContent = `SHA-256 ${response.sha256}`;
  },
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
  void uploadOrCancel();
});

/** `fetch` reports no progress of uploads, so this is an `XMLHttpRequest`. */
function send(signal) {
  const body = new FormData();
  body.set("file", element("file").files[0]);
  const request = new XMLHttpRequest();
  request.responseType = "json";
  request.upload.addEventListener("progress", ({ loaded, total }) => {
    progress.value = loaded / total;
    show(status, `${megabytes(loaded)} of ${megabytes(total)}`);
  });
  signal.addEventListener("abort", () => request.abort());
  request.open("POST", "/v1/uploads");
  request.send(body);
  return new Promise((resolve, reject) => {
    request.addEventListener("load", () => resolve(request));
    for (const name of ["abort", "error"])
      request.addEventListener(name, () => reject(new Error("The connection broke off. Upload the file again.")));
  });
}
