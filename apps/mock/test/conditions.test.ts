import { expect, test } from "vitest";
import { parseFaults, parseLatency } from "../src/conditions.ts";
import { serve } from "./serve.ts";

const BOOKS = {
  openapi: "3.1.1",
  paths: {
    "/books": {
      get: {
        operationId: "listBooks",
        responses: {
          200: {
            description: "",
            content: {
              "application/json": { schema: { type: "array", items: { type: "string" } }, example: ["Emma"] },
            },
          },
          429: {
            description: "",
            content: { "application/json": { schema: { type: "object", properties: { error: { type: "string" } } } } },
          },
        },
      },
    },
  },
};

test("faults have the chosen share and status, in the document's own errors, and repeat with the same seed", async () => {
  const statuses = async (seed: number): Promise<number[]> => {
    const { request } = await serve({ document: BOOKS, conditions: { faults: { share: 0.5, status: 429 }, seed } });
    const responses = [];
    for (let sent = 0; sent < 20; sent++) responses.push(await request("/books"));
    const failed = responses.find(({ status }) => status === 429)!;
    expect(await failed.json()).toEqual({ error: "The mock was started with --faults." });
    return responses.map(({ status }) => status);
  };
  const first = await statuses(7);
  expect(new Set(first)).toEqual(new Set([200, 429]));
  expect(await statuses(7)).toEqual(first);
  expect(await statuses(8)).not.toEqual(first);
});

test("latency delays each response", async () => {
  const { request } = await serve({ document: BOOKS, conditions: { latency: { from: 40, to: 60 } } });
  const began = performance.now();
  await request("/books");
  expect(performance.now() - began).toBeGreaterThan(39);
});

test("latency and faults are read as written", () => {
  expect(parseLatency("200")).toEqual({ from: 200, to: 200 });
  expect(parseLatency("100-800")).toEqual({ from: 100, to: 800 });
  expect(parseFaults("10%")).toEqual({ share: 0.1, status: 503 });
  expect(parseFaults("100%:429")).toEqual({ share: 1, status: 429 });
});

test("pages of any origin may call, as before Prism", async () => {
  const { request } = await serve({ document: BOOKS });
  const preflight = await request("/books", {
    method: "OPTIONS",
    headers: {
      Origin: "https://shop.example",
      "Access-Control-Request-Method": "GET",
      "Access-Control-Request-Headers": "x-key",
    },
  });
  expect(preflight.status).toBe(204);
  expect(Object.fromEntries(preflight.headers)).toMatchObject({
    "access-control-allow-origin": "https://shop.example",
    "access-control-allow-headers": "x-key",
    "access-control-allow-credentials": "true",
    "access-control-allow-methods": "GET,DELETE,HEAD,PATCH,POST,PUT,OPTIONS",
  });
  const missing = await request("/nowhere", { headers: { Origin: "https://shop.example" } });
  expect([missing.status, missing.headers.get("access-control-allow-origin")]).toEqual([404, "https://shop.example"]);
  expect(await missing.json()).toEqual({ error: expect.stringContaining("no resource") });
});
