/** Measures streams and uploads. */
import { fileURLToPath } from "node:url";
import { installFolder } from "@platform/bench-support/install";
import { createProgram, wholeNumber } from "@platform/command-line";

createProgram("streams", {
  description: "Measures streams and uploads beside other libraries.",
  folder: import.meta.dirname,
  examples: ["node bench/streams.ts 3 download"],
})
  .argument("[rounds]", "the number of rounds (default: 9)", wholeNumber(1))
  .argument("[title]", "a part of the titles of the measurements (default: all)")
  .parse();

const census = new URL("../census/", import.meta.url); // its lockfile has the other libraries
await installFolder(fileURLToPath(census));
await import(new URL("bench/streams/main.ts", census).href);
