/** Reports progress, blocks until file descriptor 3 ends, and prints a result. */
import { readFileSync } from "node:fs";
import { withProgress } from "../../src/index.ts";

await withProgress((report) => {
  report("Counting");
  report("Copying", { done: 0, total: 4, unit: "rows" });
  report("Copying", { done: 1, total: 4, unit: "rows" });
  readFileSync(3);
});
console.log("Copied 4 rows.");
