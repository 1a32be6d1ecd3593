// Preloaded into every Node process of a test: writes each point of `withRecorders` that it reaches to a file, once.
import { ChildProcess } from "node:child_process";
import { appendFileSync } from "node:fs";

const { MUTATION_POINTS, NODE_OPTIONS } = process.env;
const reached = new Set();

globalThis.mutationPoint = (file, offset) => {
  const point = `${file}:${offset}`;
  if (reached.has(point)) return;
  reached.add(point);
  appendFileSync(MUTATION_POINTS, `${point}\n`);
};

const { spawn } = ChildProcess.prototype;
/** Preloads this module also into processes that a test starts with an environment of its own. */
ChildProcess.prototype.spawn = function (options) {
  const isOwn = !options.envPairs.some((pair) => pair.startsWith("MUTATION_POINTS="));
  if (isOwn) options.envPairs.push(`MUTATION_POINTS=${MUTATION_POINTS}`, `NODE_OPTIONS=${NODE_OPTIONS}`);
  return spawn.call(this, options);
};
