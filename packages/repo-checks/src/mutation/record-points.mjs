// Preloaded by every process that a test starts, of whatever Node: notes once each point of `withRecorders` that it reaches.
import { appendFileSync } from "node:fs";

const reached = new Set();

globalThis.mutationPoint = (file, offset) => {
  const point = `${file}:${offset}`;
  if (reached.has(point)) return;
  reached.add(point);
  appendFileSync(process.env.MUTATION_POINTS, `${point}\n`);
};
