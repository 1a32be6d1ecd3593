import { element, format, linesOf, show, transfer } from "./transfer.js";

const [form, button, count, row, status] = ["export-form", "export", "export-count", "export-row", "export-status"].map(
  element,
);

let rows = 0;

const exportOrStop = transfer(button, status, {
  labelOf: (isRunning) => (isRunning ? "Stop" : "Export"),
  stopped: () => `Stopped after ${format(rows)} rows`,
  receive: async (signal) => {
    show(status, "Receiving");
    rows = 0;
    let latest = "";
    const draw = () => {
      count.textContent = format(rows);
      row.textContent = latest && JSON.stringify(JSON.parse(latest), null, 1);
    };
    const drawing = setInterval(draw, 100); // more often than a person can read costs more than the rows
    try {
      const began = performance.now();
      const response = await fetch(`/v1/measurements?rows=${element("rows").valueAsNumber}`, { signal });
      for await (const line of linesOf(response)) {
        rows++;
        latest = line;
      }
      const seconds = (performance.now() - began) / 1000;
      show(status, `Complete in ${seconds.toFixed(1)} s: ${format(Math.round(rows / seconds))} rows a second`);
    } finally {
      clearInterval(drawing);
      draw();
    }
  },
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
  void exportOrStop();
});
