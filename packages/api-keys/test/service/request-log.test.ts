import { SERVICE } from "@openapi-operations/command-line/name";
import { describe, expect, test } from "vitest";
import { generateApiKey } from "../../src/api-key.ts";
import { createApiKey } from "../../src/keys.repository.ts";
import { opened } from "../tables.ts";
import { creation, startService } from "./start.ts";

describe("the log", () => {
  interface RequestLine {
    req: { address: string };
    res: { status: number };
    apiKey?: { id: number; name: string };
  }

  test("the request log has the API key and the client's address of each request, also of rejected ones", async () => {
    const service = await startService({ RATE_LIMIT: "2/60" });
    const { key, lines } = service;
    const url = `${service.baseUrl}/things`;
    const ask = async (authorization: string) => (await fetch(url, { headers: { authorization } })).status;
    expect(await ask(`Bearer ${key}`)).toBe(200);
    const wrong = await fetch(`${url}?limit=0`, { headers: { authorization: `Bearer ${key}` } });
    expect(wrong.status).toBe(400);
    expect(await ask(`Bearer ${key}`)).toBe(429);
    expect(await ask(`Bearer ${generateApiKey("development")}`)).toBe(401);
    expect(await ask("")).toBe(401);
    const db = opened(service.databaseUrl);
    const { key: reader } = await createApiKey(db, {
      name: 'a "reader"',
      environment: "development",
      scopes: ["things:read"],
    });
    const headers = { authorization: `Bearer ${reader}`, "Content-Type": "application/json" };
    expect((await fetch(url, { method: "POST", headers, body: '{"name":"Rex"}' })).status).toBe(403);
    await fetch(new URL("/healthz", url), { headers });
    await service[Symbol.asyncDispose]();

    const own = { id: 1, name: "quickstart" };
    const requests = lines().filter(({ req }) => req !== undefined) as unknown as RequestLine[];
    expect(requests.map(({ res, apiKey }) => [res.status, apiKey])).toEqual([
      [200, own],
      [400, own],
      [429, own],
      [401, undefined],
      [401, undefined],
      [403, { id: 2, name: 'a "reader"' }],
      [200, undefined],
    ]);
    expect(new Set(requests.map(({ req }) => req.address))).toEqual(new Set(["127.0.0.1"]));
    expect(JSON.stringify(lines())).not.toContain(reader);
  });
});

describe("the metrics", () => {
  test("/metrics has the metrics of the service and its storage, and names no key and no thing", async () => {
    await using service = await startService({ METRICS_PORT: "0" });
    await service.request("/things", creation("Canary"));
    const read = async () => (await fetch(service.metricsUrl!)).text();
    await expect.poll(read).toMatch(/^http_requests_total\{operation_id="createThing",status="201"\} 1$/m);
    expect(await read()).toMatch(new RegExp(`^${SERVICE.metricsPrefix}_commit_batch_size_sum [1-9]`, "m"));
    expect(await read()).toMatch(new RegExp(`^${SERVICE.metricsPrefix}_wal_bytes [1-9]\\d{3}`, "m"));
    expect(await read()).not.toMatch(new RegExp(`${SERVICE.keyPrefix}_(?:live|test)_|Canary`));
  });
});
