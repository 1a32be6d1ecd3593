import { queryObjects } from "node:v8";
import { expect, test } from "vitest";
import { implement, type OpenApiDocument, Problem } from "../src/index.ts";
import { listen } from "./listen.ts";

const document: OpenApiDocument = {
  openapi: "3.1.0",
  paths: {
    "/notes": {
      post: {
        operationId: "addNote",
        requestBody: {
          required: true,
          content: {
            "application/json": {
              schema: { type: "object", additionalProperties: false, properties: { text: { type: "string" } } },
            },
          },
        },
        responses: { "204": { description: "Added." } },
      },
    },
  },
};

test("of refusals for names that clients make up no long one is kept, and a thousand at most", async () => {
  const handlers = { addNote: () => ({ status: 204 }) } as never;
  await using server = await listen(implement()({ document, handlers }));
  const post = async (name: string): Promise<string> => {
    const headers = { "Content-Type": "application/json" };
    const response = await fetch(`${server.baseUrl}/notes`, { method: "POST", headers, body: `{"${name}":1}` });
    expect(response.status).toBe(400);
    return response.text();
  };
  expect(await post("title")).toBe(await post("title"));
  expect(await post("title")).not.toBe(await post("subtitle"));
  const keptAfter = async (count: number, nameOf: (n: number) => string): Promise<number> => {
    const before = queryObjects(Problem, { format: "count" }); // collects garbage first
    for (let n = 0; n < count; n++) await post(nameOf(n));
    return queryObjects(Problem, { format: "count" }) - before;
  };
  expect(await keptAfter(200, (n) => `${n}`.padEnd(60_000, "x"))).toBeLessThan(5);
  expect(await keptAfter(900, (n) => `short${n}`)).toBeGreaterThan(800);
  expect(await keptAfter(150, (n) => `another${n}`)).toBeLessThan(0);
});
