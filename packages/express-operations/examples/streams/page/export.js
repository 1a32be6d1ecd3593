import { element, format, label, show } from "./elements.js";
import { linesOf } from "./lines.js";

const [form, button, count, row, status] = ["export-form", "export", "export-count", "export-row", "export-status"].map(
  element,
);

/** The export that is arriving. */
let running;

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (running) running.abort();
  else void receive();
});

async function receive() {
  running = new AbortController();
  label(button, "Stop", true);
  show(status, "Receiving");
  const began = performance.now();
  let rows = 0;
  let latest = "";
  const draw = () => {
    count.textContent = format(rows);
    row.textContent = latest && JSON.stringify(JSON.parse(latest), null, 1);
  };
  const drawing = setInterval(draw, 100); // more often than a person can read costs more than the rows
  try {
    const { signal } = running;
    const response = await fetch(`/v1/measurements?rows=${element("rows").valueAsNumber}`, { signal });
    for await (const line of linesOf(response)) {
      rows++;
      latest = line;
    }
    const seconds = (performance.now() - began) / 1000;
    show(status, `Complete in ${seconds.toFixed(1)} s: ${format(Math.round(rows / seconds))} rows a second`);
  } catch (error) {
    const isStopped = running.signal.aborted;
    show(status, isStopped ? `Stopped after ${format(rows)} rows` : error.message, !isStopped);
  } finally {
    clearInterval(drawing);
    draw();
    running = undefined;
    label(button, "Export", false);
  }
}
