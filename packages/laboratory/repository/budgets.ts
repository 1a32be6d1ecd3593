/** `pnpm budgets`: counts the source of the repository: code that git tracks, without tests and generated code. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createProgram } from "@openapi-operations/command-line";
import { root } from "@platform/test-support/clone";

const CODE = /\.(?:[cm]?[jt]sx?|go|rs|sh|css|html|py|java)$|^\.ci\/run$/;
const TESTS = /(?:^|\/)test\/|\.test(?:-d)?\.tsx?$/;
/** openapi-typescript writes the `operations.ts` of an example; a test compares it with the output. */
const GENERATED = /(?:^|\/)generated\/|\/examples\/[^/]+\/operations\.ts$/;
const LABORATORY = /^packages\/laboratory\//;
const DOCUMENTS = /^packages\/(?:express-operations|openapi-document)\/src\//;
/** The rooms that the core does not import; a test of the graph in ARCHITECTURE.md enforces it. */
const EXTENSIONS =
  /^packages\/express-operations\/src\/(?:conformance|costs|declared-errors|example|streams|webhooks)\//;

createProgram("budgets", {
  description: "Counts the source of the repository, and compares it with the budgets.",
  folder: import.meta.dirname,
}).parse();

const rows = budgets().map(({ name, count, limit }) => [
  name,
  count,
  limit,
  count <= limit ? "within" : `${count - limit} over`,
]);
for (const [name, count, limit, state] of [["", "now", "budget", ""], ...rows])
  console.log(`${String(name).padEnd(78)}${String(count).padStart(7)}${String(limit).padStart(8)}  ${state}`);

function budgets() {
  const paths = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" }).split("\0").filter(Boolean);
  const source = paths
    .filter((path) => CODE.test(path) && !TESTS.test(path) && !GENERATED.test(path))
    .map((path) => ({ path, lines: linesIn(readFileSync(join(root, path), "utf8")) }));
  const linesOf = (isCounted: (path: string) => boolean) =>
    source.reduce((sum, { path, lines }) => sum + (isCounted(path) ? lines : 0), 0);
  const packages = new Set(paths.flatMap((path) => /^packages\/[^/]+\/package\.json$/.exec(path)?.[0] ?? []));
  return [
    { name: "lines of source", count: linesOf(() => true), limit: 34_000 },
    { name: "lines of the laboratory", count: linesOf((path) => LABORATORY.test(path)), limit: 6_000 },
    {
      name: "lines of the core of express-operations, and of the package about documents",
      count: linesOf((path) => DOCUMENTS.test(path) && !EXTENSIONS.test(path)),
      limit: 6_000,
    },
    {
      name: "lines of these with the rooms that the core does not import",
      count: linesOf((path) => DOCUMENTS.test(path)),
      limit: 10_500,
    },
    { name: "packages", count: packages.size, limit: 16 },
    { name: "tracked files", count: paths.length, limit: 950 },
    {
      name: "files below 30 lines in src",
      count: source.filter(({ path, lines }) => path.includes("/src/") && lines < 30).length,
      limit: 60,
    },
  ];
}

function linesIn(text: string): number {
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}
