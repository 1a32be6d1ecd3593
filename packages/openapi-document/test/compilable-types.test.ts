import { expect, test } from "vitest";
import { compilableTypes } from "../src/openapi-typescript/request-defaults.ts";

test("recursive arrays and operationIds are found, however the compiler writes their names", () => {
  const name = 'a"\\\u00001\v\u2028é';
  const items = { $ref: `#/components/schemas/${encodeURIComponent(name)}` };
  const schemas = { [name]: { anyOf: [{ type: "string" }, { type: "array", items }] } };
  const paths = { "/": { get: { operationId: `${name}#b` } } };
  const literal = String.raw`"a\"\\\x001\v\u2028\u00E9"`;
  const types = compilableTypes(`a: components["schemas"][${literal}][];\nb: ${literal.slice(0, -1)}/b";\n`, {
    openapi: "3.1.1",
    paths,
    components: { schemas },
  });
  expect(types).toContain(`a: ArrayOf<${literal}>;\nb: ${JSON.stringify(`${name}#b`)};\n`);
});
