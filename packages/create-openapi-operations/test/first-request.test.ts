import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { serviceFiles } from "../src/create.ts";
import { namesOf } from "../src/names.ts";
import { temporaryFolder } from "@platform/test-support/temporary";

const responses = { 200: { description: "" } };
const SCHEMES = { user: { type: "http", scheme: "basic" }, certificate: { type: "mutualTLS" } };

async function readmeOf(paths: object): Promise<string> {
  const file = join(await temporaryFolder(), "museum.json");
  const info = { title: "Museum", version: "1" };
  writeFileSync(file, JSON.stringify({ openapi: "3.1.1", info, paths, components: { securitySchemes: SCHEMES } }));
  const { files } = await serviceFiles(namesOf("museum"), file);
  return /## The first request\n([^]*?)\n## /.exec(files.get("README.md")!)![1]!;
}

test("the first request needs no credentials that nothing validates yet", async () => {
  const readme = await readmeOf({
    "/a": { get: { responses, security: [{ user: [] }] } },
    "/b/{id}": {
      get: { responses, parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }] },
    },
  });
  expect(readme).toMatch(/^curl -i http:\/\/127\.0\.0\.1:3000\/b\/\S+$/m);
});

test.each([
  ["user", "curl -i -u user:password http", "Each password gets 401 until you write `verifyPassword`"],
  ["certificate", "curl -i http", "This request gets 401 until a function in [`apps/server/src/security.ts`]"],
])("where all requests need %s, the README says what to write first", async (scheme, curl, sentence) => {
  const readme = await readmeOf({ "/a": { get: { responses, security: [{ [scheme]: [] }] } } });
  expect(readme.indexOf(curl)).toBeGreaterThan(-1);
  expect(readme.indexOf(sentence)).toBeGreaterThan(readme.indexOf(curl));
  expect(readme.split("gets 401").length).toBe(2);
});
