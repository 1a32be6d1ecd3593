/** Reports the progress of rows, or of a file if one is named, blocks until file descriptor 3 ends, and prints a result. */
import { readFileSync } from "node:fs";
import { withProgress } from "../../src/index.ts";

const [, , file] = process.argv;

await withProgress((report) => {
  report("Counting");
  if (file === undefined) for (const done of [0, 1]) report("Copying", { done, total: 4, unit: "rows" });
  else report("Copying", { file, bytes: 4 * 2 ** 20 });
  readFileSync(3);
});
console.log("Copied 4 rows.");
