import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { implement, type OpenApiDocument } from "../src/index.ts";
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

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

test("names that clients make up are not kept, however many and long", async () => {
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
  const postLongNames = async (from: number, to: number): Promise<number> => {
    for (let n = from; n < to; n++) await post(`${n}`.padEnd(60_000, "x"));
    collectGarbage();
    return process.memoryUsage().heapUsed / 2 ** 20;
  };
  const before = await postLongNames(0, 200); // what is made once is there
  expect((await postLongNames(200, 900)) - before).toBeLessThan(30); // the names alone are 40
});
