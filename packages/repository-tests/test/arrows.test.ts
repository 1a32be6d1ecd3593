import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { cloneInstalled, root } from "@platform/test-support/clone";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

/** Files, each with a forbidden import and the message of lint. */
const REFUSED: [file: string, imported: string, message: string][] = [
  ["packages/storage/src/url.ts", "@platform/service/errors", "storage -> service"],
  ["packages/storage/src/migrations.ts", "@platform/api-keys/api-key", "storage -> api-keys runs back up"],
  ["packages/storage/src/storage.ts", "express-operations/cacheable", "storage -> express-operations"],
  ["packages/api-keys/src/api-key.ts", "@petstore/contract", "api-keys -> petstore runs back up"],
  ["apps/server/src/resources/pets/cursor.ts", "../../app.ts", "resources -> app runs back up"],
  ["packages/service/src/errors.ts", "@petstore/contract/document", "service -> petstore runs back up"],
  ["packages/service/src/settings.ts", "@platform/storage/storage", "service -> storage"],
  ["packages/service/test/compose.test.ts", "@platform/api-keys/keys", "service -> api-keys runs back up"],
  [
    "packages/service/test/origin.test.ts",
    "../../express-operations/src/index.ts",
    "Import another package by its name",
  ],
  [
    "apps/server/src/main.ts",
    "../../../packages/laboratory/measuring/figures.ts",
    "Import another package by its name",
  ],
  ["packages/dev/test/start.ts", "../../laboratory/dev/main.ts", "Import another package by its name"],
  ["packages/openapi-document/src/paths.ts", "express-operations", "openapi-document imports no other package"],
  ["packages/openapi-document/src/keywords.ts", "node:util", "openapi-document imports no other package"],
  ["packages/express-operations/src/lists.ts", "@platform/service/errors", "express-operations -> openapi-document"],
  ["packages/fetch-operations/src/client.ts", "express-operations/cacheable", "fetch-operations -> openapi-document"],
  ["packages/contract-tools/src/output.ts", "@petstore/contract", "contract-tools -> petstore runs back up"],
  ["apps/storefront/src/shop.tsx", "@petstore/contract", "storefront -> client"],
  ["packages/service/src/http/request-state.ts", "../service-app.ts", "Dependency cycle detected"],
];

describe("lint rejects", () => {
  let clone: ReturnType<typeof cloneInstalled>;
  let said: { filename: string; message: string; help?: string }[];
  beforeAll(() => {
    clone = cloneInstalled();
    for (const [file, imported] of REFUSED) {
      mkdirSync(dirname(join(clone.directory, file)), { recursive: true });
      appendFileSync(join(clone.directory, file), `export type * from "${imported}";\n`);
    }
    const args = [join(root, "node_modules/oxlint/bin/oxlint"), "--format=json", ...REFUSED.map(([file]) => file)];
    const options = { cwd: clone.directory, encoding: "utf8", maxBuffer: 2 ** 26 } as const;
    const { stdout } = spawnSync(process.execPath, args, options);
    said = (JSON.parse(stdout) as { diagnostics: typeof said }).diagnostics;
  });
  afterAll(() => clone[Symbol.dispose]());

  test.each(REFUSED)("%s importing %s: %s", (file, _imported, message) => {
    const ofFile = said.filter(({ filename }) => filename === file).map((one) => `${one.message} ${one.help ?? ""}`);
    expect(ofFile.join("\n")).toContain(message);
  });
});
