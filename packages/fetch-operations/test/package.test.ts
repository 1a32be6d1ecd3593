import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

const folder = join(import.meta.dirname, "..");

test("the runtime imports nothing of Node, and only each entry point's own dependencies", () => {
  const out = mkdtempSync(join(tmpdir(), "runtime-"));
  try {
    const tsc = join(folder, "../../node_modules/typescript/bin/tsc");
    execFileSync(process.execPath, [tsc, "-p", "tsconfig.build.json", "--outDir", out], { cwd: folder });
    const imports = (pattern: string) =>
      globSync(pattern, { cwd: out }).flatMap((file) =>
        Array.from(
          readFileSync(join(out, file), "utf8").matchAll(/(?:from |import\()"([^."][^"]*)"/g),
          ([, name]) => `${name} in ${file.replaceAll("\\", "/")}`,
        ),
      );
    expect(imports("**/*.js").toSorted()).toEqual([
      "@cfworker/json-schema in testing/schema.js",
      ...["fingerprint", "schema-types", "servers", "shapes"].map((name) => `openapi-document in contract/${name}.js`),
      ...["contract", "schema"].map((name) => `openapi-document in testing/${name}.js`),
      "openapi-fetch in connection.js",
      "openapi-fetch in security/oauth2.js",
    ]);
    const types = imports("**/*.d.ts").filter((line) => !/^openapi-document in (?:contract|testing)\//.test(line));
    expect(types).toEqual(["@tanstack/react-query in react-query/index.d.ts"]);
  } finally {
    rmSync(out, { recursive: true });
  }
});
