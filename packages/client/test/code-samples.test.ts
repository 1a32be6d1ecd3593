import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeSamples } from "@petstore/contract/code-samples";
import { document } from "@petstore/contract/document";
import { expect, onTestFinished, test } from "vitest";

const folder = join(import.meta.dirname, "../.turbo/code-samples");

test("each operation has a sample with the client before one with curl, and the client's compile", () => {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(Object.keys(codeSamples)).toEqual(operations);
  mkdirSync(folder, { recursive: true });
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [index, samples] of Object.values(codeSamples).entries()) {
    expect(samples.map(({ label }) => label)).toEqual(["@petstore/client", "curl"]);
    writeFileSync(join(folder, `sample${index}.ts`), samples[0]!.source);
  }
  writeFileSync(
    join(folder, "tsconfig.json"),
    '{ "extends": "../../tsconfig.json", "include": ["*.ts"], "compilerOptions": { "types": ["node"] } }',
  );
  const tsc = join(import.meta.dirname, "../node_modules/typescript/bin/tsc");
  const compile = () => execFileSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8" });
  expect(compile()).toBe("");
});
