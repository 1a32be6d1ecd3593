import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { affectedBy, packagesIn } from "../../src/dev/packages.ts";

test("packagesIn returns the packages with TypeScript, and the workspace packages that each of them uses", () => {
  const root = mkdtempSync(join(tmpdir(), "packages-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const files = {
    "packages/b/package.json": { name: "b", devDependencies: { c: "workspace:*", d: "1.0.0" } },
    "packages/b/tsconfig.json": {},
    "apps/a/package.json": { name: "a", dependencies: { b: "*", e: "catalog:" }, devDependencies: {} },
    "apps/a/tsconfig.json": {},
    "packages/plain/package.json": { name: "plain" },
    "packages/nameless/tsconfig.json": {},
    "packages/c/package.json": { name: "c" },
    "packages/c/tsconfig.json": {},
  };
  for (const [file, value] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), JSON.stringify(value));
  }
  expect(packagesIn(root)).toEqual([
    { name: "a", folder: "apps/a", uses: ["b"] },
    { name: "b", folder: "packages/b", uses: ["c"] },
    { name: "c", folder: "packages/c", uses: [] },
  ]);
});

test("affectedBy returns a file's package and the direct and indirect users of the package", () => {
  const packages = [
    { name: "a", folder: "apps/a", uses: ["b"] },
    { name: "b", folder: "packages/b", uses: ["c", "d"] },
    { name: "c", folder: "packages/c", uses: [] },
    { name: "d", folder: "packages/c-d", uses: [] },
  ];
  const affected = (...files: string[]) => affectedBy(files, packages).map(({ name }) => name);
  expect(affected("packages/c/src/a.ts")).toEqual(["a", "b", "c"]);
  expect(affected("packages/c-d/src/")).toEqual(["a", "b", "d"]);
  expect(affected("apps/a/b.ts")).toEqual(["a"]);
  expect(affected("openapi/a.yaml", "packages/cd/a.ts")).toEqual([]);
  expect(affected("packages/c/a.ts", "packages/c-d/a.ts")).toEqual(["a", "b", "c", "d"]);
});
