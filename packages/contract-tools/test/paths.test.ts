import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "@platform/test-support/temporary";
import { expect, test } from "vitest";
import { installedFile } from "../src/paths.ts";

test("a file of a package is found beside a service, or above it, where npm and Yarn install it", async () => {
  const root = await temporaryFolder();
  const [service, above] = [join(root, "apps/museum"), join(root, "node_modules/it/bin.js")];
  const beside = join(service, "node_modules/it/bin.js");
  const write = (file: string) => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "");
  };
  expect(() => installedFile(service, "it/bin.js")).toThrow("it/bin.js is not installed. Install the packages first.");
  write(above);
  expect(installedFile(service, "it/bin.js")).toBe(above);
  write(beside);
  expect(installedFile(service, "it/bin.js")).toBe(beside);
});
