import { generateApiKey } from "@platform/api-keys/api-key";
import { createApiKey } from "@platform/api-keys/keys.repository";
import { temporaryFolder } from "@platform/test-support/temporary";
import { expect, test } from "vitest";
import { startInProcess } from "../in-process.ts";
import { startProgram } from "../program.ts";
import { opened } from "../temporary.ts";

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const TRACEPARENT = `00-${TRACE_ID}-b7ad6b7169203331-01`;

interface RequestLine {
  req: { address: string };
  res: { status: number };
  apiKey?: { id: number; name: string };
}

test("the request log has one line of JSON for each request, with its id and trace, and without its key", async () => {
  const program = await startProgram(await temporaryFolder());
  const headers = { Authorization: `Bearer ${program.key}`, traceparent: TRACEPARENT, "X-Request-Id": "order-66" };
  await fetch(`${program.baseUrl}/pets?limit=5`, { headers });
  await fetch(`${program.baseUrl}/pets`, { headers: { Authorization: "Bearer canary" } });
  await program.stop();
  const lines = program
    .output()
    .match(/^\{.*\}$/gm)!
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.filter(({ req }) => req !== undefined)).toMatchObject([
    { req: { id: "order-66", path: "/v1/pets" }, res: { status: 200 }, operationId: "listPets", traceId: TRACE_ID },
    { req: { path: "/v1/pets" }, res: { status: 401 }, operationId: "listPets" },
  ]);
  expect(program.output()).not.toMatch(/pst_|canary|bearer canary/i);
});

test("the request log has the API key and the client's address of each request, also of rejected ones", async () => {
  const { service, databaseUrl, key, lines } = await startInProcess({ RATE_LIMIT: "2/60" });
  const url = `${service.baseUrl}/pets`;
  const ask = async (authorization: string) => (await fetch(url, { headers: { authorization } })).status;
  expect(await ask(`Bearer ${key}`)).toBe(200);
  const wrong = await fetch(`${url}?limit=0`, { headers: { authorization: `Bearer ${key}` } });
  expect(wrong.status).toBe(400);
  expect(await ask(`Bearer ${key}`)).toBe(429);
  expect(await ask(`Bearer ${generateApiKey("development")}`)).toBe(401);
  expect(await ask("")).toBe(401);
  const db = opened(databaseUrl);
  const { key: reader } = await createApiKey(db, {
    name: 'a "reader"',
    environment: "production",
    scopes: ["pets:read"],
  });
  const headers = { authorization: `Bearer ${reader}`, "Content-Type": "application/json" };
  expect((await fetch(url, { method: "POST", headers, body: '{"name":"Rex","categoryId":1}' })).status).toBe(403);
  await fetch(new URL("/healthz", url), { headers });
  await service.close();

  const own = { id: 1, name: "test" };
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
