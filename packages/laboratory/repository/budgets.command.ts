import { fileURLToPath } from "node:url";
import { createProgram } from "@platform/command-line";
import { budgetsOf } from "./budgets.ts";

createProgram("budgets", {
  description: "Counts the source of the repository, and compares it with the budgets.",
  folder: import.meta.dirname,
}).parse();

const root = fileURLToPath(new URL("../../..", import.meta.url));
const rows = budgetsOf(root).map(({ name, count, limit }) => [
  name,
  count,
  limit,
  count <= limit ? "within" : `${count - limit} over`,
]);
for (const [name, count, limit, state] of [["", "now", "budget", ""], ...rows])
  console.log(`${String(name).padEnd(78)}${String(count).padStart(7)}${String(limit).padStart(8)}  ${state}`);
