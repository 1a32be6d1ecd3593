import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "@platform/test-support/clone";
import { expect, test } from "vitest";
import { serviceFiles } from "../src/create.ts";
import { namesOf } from "../src/names.ts";
import { templateFiles, withVersions } from "../src/project.ts";

/** Files with facts about the petstore alone: its table, the names of its first migrations, and the beginning of its keys. */
const OF_PETSTORE = ["migrations", "name", "registrations"].map((name) => `apps/server/src/${name}.ts`);

test("a service from the petstore's contract has the petstore's own code", async () => {
  const { files } = await serviceFiles(namesOf("petstore"), join(root, "openapi/openapi.yaml"));
  const copied = [...templateFiles().keys()].filter((file) => /\.(?:ts|js)$/.test(file) && files.has(file));
  const own = copied.filter((file) => !file.endsWith("vitest.config.ts"));
  const differing = own.filter((file) => files.get(file) !== readFileSync(join(root, file), "utf8"));
  expect(own.length).toBeGreaterThan(15);
  expect(differing.toSorted()).toEqual(OF_PETSTORE);
});

test("a package of the template without a known version is an error", () => {
  const versions = { catalog: {}, platform: {}, root: { optionalDependencies: {}, packageManager: "" } };
  const manifest = JSON.stringify({ dependencies: { "openapi-contract": "workspace:^" } });
  expect(() => withVersions(manifest, versions)).toThrow("openapi-contract, whose version is not known");
});
