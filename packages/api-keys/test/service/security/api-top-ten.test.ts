import { METHODS } from "node:http";
import type { ErrorBody } from "@openapi-operations/service/errors";
import { openDatabase } from "@openapi-operations/storage/database";
import { operationsOf } from "openapi-document";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApiKey } from "../../../src/keys.repository.ts";
import type { Tables } from "../../tables.ts";
import { creation, expectError, startService, type TestService } from "../start.ts";
import { document } from "../things.document.ts";
import { SCOPES } from "../config.ts";
import { type Thing } from "../things.ts";
import { type Credential, invalidCredentials, plainRequests, variantsOf, withCredential } from "./attempts.ts";
import { Wire, type WireAnswer } from "./wire.ts";

// OWASP API Security Top 10, 2023: https://owasp.org/API-Security/editions/2023/en/0x11-t10/
// SECURITY.md says why API6 and API10 do not apply. API7 is about the contract of an app.

const PLAIN = plainRequests(document, "/v1");

let service: TestService;
let wire: Wire;
beforeAll(async () => {
  service = await startService();
  wire = new Wire(service.baseUrl);
});
afterAll(async () => {
  wire[Symbol.dispose]();
  await service[Symbol.asyncDispose]();
});

describe("API1:2023 Broken Object Level Authorization", () => {
  test("an Idempotency-Key reveals nothing about its use by other API keys", async () => {
    for (const key of [service.key, await keyWith(SCOPES), await keyWith(SCOPES)]) {
      const init = creation(key.slice(-4), { "Idempotency-Key": "order-1" });
      for (const _ of ["the first time", "again"]) {
        expect((await service.request("/things", { ...init, key })).status).toBe(201); // neither 422 nor another's thing
      }
    }
    const things = (await (await service.request("/things")).json()) as Thing[];
    expect(new Set(things.map(({ name }) => name)).size).toBe(3);
    expect(things).toHaveLength(3);
  });
});

describe("API2:2023 Broken Authentication", () => {
  let credentials: Record<string, Credential>;
  beforeAll(async () => void (credentials = await invalidCredentials(service.databaseUrl, service.key)));

  test.each(PLAIN)("$operationId accepts a valid key with its scheme in any case", async (request) => {
    for (const scheme of ["Bearer", "bearer", "BEARER"]) {
      const answer = await wire.send(withCredential(request, bearing(service.key, scheme)));
      expect([200, 201, 404, 409]).toContain(answer.status); // so that the requests below fail for their credentials alone
    }
  });

  test.each(PLAIN)(
    "$operationId without a valid key never succeeds and never writes, by any path or method",
    async (request) => {
      const before = await rowsOf(service);
      let requests = 0;
      const faults: string[] = [];
      for (const [variant, changed] of Object.entries(variantsOf(request))) {
        for (const [name, credential] of Object.entries(credentials)) {
          const answer = await wire.send(withCredential(changed, credential));
          requests++;
          const isAsDeclared = variant === "as the contract has it";
          if (isAsDeclared ? !isUnauthorized(answer) : !isRefusal(answer, changed.method))
            faults.push(`${variant}, ${name}: ${answer.status} ${answer.text}`);
        }
      }
      console.log({ operationId: request.operationId, requests });
      expect(faults).toEqual([]);
      expect(await rowsOf(service)).toEqual(before);
    },
  );

  test("every 401 has the same body, so that none reveals how close a guess was", async () => {
    const bodies = new Set<string>();
    for (const request of PLAIN)
      for (const credential of Object.values(credentials))
        bodies.add((await wire.send(withCredential(request, credential))).text);
    expect(bodies.size).toBe(1);
  });
});

describe("API3:2023 Broken Object Property Level Authorization", () => {
  const WITH_BODY = PLAIN.filter(({ body }) => body !== undefined);
  const FIELDS = [
    "id",
    "createdAt",
    "owner",
    "api_key_id",
    "role",
    "__proto__",
    "constructor",
    "prototype",
    "toString",
  ];

  test.each(WITH_BODY)("$operationId rejects fields that the contract does not declare", async (request) => {
    const before = await rowsOf(service);
    for (const field of FIELDS) {
      for (const value of ["1", '{"isAdmin":true}']) {
        const body = String(request.body).replace(/\}$/, `,"${field}":${value}}`);
        const answer = await wire.send({ ...withCredential(request, bearing(service.key)), body });
        expect({ field, status: answer.status }).toEqual({ field, status: 400 });
      }
    }
    expect(await rowsOf(service)).toEqual(before);
  });

  test("a returned thing has exactly the fields of the contract", async () => {
    const fields = ["id", "name"];
    const added = await service.add();
    const [listed] = (await (await service.request("/things")).json()) as Thing[];
    const fetched = (await (await service.request(`/things/${added.id}`)).json()) as Thing;
    for (const thing of [added, listed!, fetched]) expect(Object.keys(thing).toSorted()).toEqual(fields);
  });
});

describe("API4:2023 Unrestricted Resource Consumption", () => {
  // Limits in time and number: capacity.test.ts, rate-limits.test.ts, slow-clients.test.ts, and memory: fuzz.long.test.ts.
  test("no page has more than a hundred things", async () => {
    await Promise.all(Array.from({ length: 101 }, () => service.add()));
    expect(await (await service.request("/things?limit=100")).json()).toHaveLength(100);
    for (const limit of ["101", "1e9", "-1", "0"])
      await expectError(await service.request(`/things?limit=${limit}`), 400, "invalid_request");
  });

  test.each([
    ["a body of 64 KiB and a byte", JSON.stringify({ name: "x".repeat(65_536) }).slice(0, 65_537), 413],
    ["arrays 30,000 deep", "[".repeat(30_000) + "]".repeat(30_000), 400],
    ["objects 10,000 deep", '{"a":'.repeat(10_000) + "1" + "}".repeat(10_000), 400],
    ["30,000 digits", `{"name":${"9".repeat(30_000)}}`, 400],
    ["5,000 fields", `{${Array.from({ length: 5_000 }, (_, at) => `"f${at}":1`).join()}}`, 400],
  ])("%s is rejected within half a second", async (_, body, status) => {
    const start = performance.now();
    const response = await service.request("/things", { ...creation(), body });
    expect(response.status).toBe(status);
    expect(performance.now() - start).toBeLessThan(500);
  });
});

describe("API5:2023 Broken Function Level Authorization", () => {
  test.each(PLAIN)(
    "$operationId without its scope gets 403, and never succeeds or writes by any path or method",
    async (request) => {
      const scope = scopeOf(request.operationId);
      const keys = [await keyWith([]), await keyWith(SCOPES.filter((other) => other !== scope))];
      const before = await rowsOf(service);
      for (const key of keys) {
        const answer = await wire.send(withCredential(request, bearing(key)));
        expect({ status: answer.status, challenge: answer.headers.get("WWW-Authenticate") }).toEqual({
          status: 403,
          challenge: `Bearer realm="things", error="insufficient_scope", scope="${scope}"`,
        });
      }
      const faults: string[] = [];
      for (const [variant, changed] of Object.entries(variantsOf(request))) {
        const answer = await wire.send(withCredential(changed, bearing(keys[0]!)));
        if (!isRefusal(answer, changed.method)) faults.push(`${variant}: ${answer.status} ${answer.text}`);
      }
      expect(faults).toEqual([]);
      expect(await rowsOf(service)).toEqual(before);
    },
  );

  test.each(["/metrics", "/v1/keys", "/v1/api_keys", "/keys", "/admin", "/v1/admin", "/v1/audit", "/v1/metrics"])(
    "%s gets 404, because operators' functions are not served to callers",
    async (path) => void (await expectError(await fetch(new URL(path, service.baseUrl), bearer()), 404, "not_found")),
  );
});

describe("API8:2023 Security Misconfiguration", () => {
  const EVERYWHERE = [...PLAIN.map(({ target }) => target), "/", "/healthz", "/readyz", "/openapi.json", "/nowhere"];

  test.each(EVERYWHERE)("the response at %s has the security headers, and does not name the software", async (path) => {
    for (const method of ["GET", "OPTIONS", "DELETE"]) {
      const headers = {
        ...bearer().headers,
        Origin: "https://evil.example",
        "Access-Control-Request-Method": "POST",
      };
      const { headers: answered } = await fetch(new URL(path, service.baseUrl), {
        method,
        headers,
        redirect: "manual",
      });
      expect(Object.fromEntries(answered)).toMatchObject({
        "content-security-policy": "default-src 'none';frame-ancestors 'none'",
        "x-content-type-options": "nosniff",
      });
      for (const name of ["X-Powered-By", "Server", "Access-Control-Allow-Credentials"])
        expect(answered.has(name)).toBe(false);
    }
  });

  test("TRACE does not echo the request", async () => {
    const answer = await wire.send({
      method: "TRACE",
      target: "/v1/things",
      headers: [
        ["Host", "x"],
        ["X-Canary", "c4n4ry"],
      ],
    });
    expect(answer.status).toBe(405);
    expect(answer.text + [...answer.headers].join()).not.toContain("c4n4ry");
  });
});

describe("API9:2023 Improper Inventory Management", () => {
  test.each([
    "/v0/things",
    "/v2/things",
    "/things",
    "/api/things",
    "/debug",
    "/.env",
    "/.git/config",
    "/swagger",
    "/v1",
    "/v1/store/inventory",
  ])(
    "the undocumented path %s gets 404",
    async (path) => void (await expectError(await fetch(new URL(path, service.baseUrl), bearer()), 404, "not_found")),
  );
});

/** Returns the scope of an operation. */
function scopeOf(operationId: string): string {
  return operationsOf(document).find(({ id }) => id === operationId)!.operation.security![0]!["bearerAuth"]![0]!;
}

function bearing(key: string, scheme = "Bearer"): Credential {
  return { headers: [["Authorization", `${scheme} ${key}`]] };
}

function bearer() {
  return { headers: { Authorization: `Bearer ${service.key}` } };
}

async function keyWith(allowed: readonly string[]): Promise<string> {
  const db = openDatabase(service.databaseUrl);
  const { key } = await createApiKey(db, { name: "caller", environment: "development", scopes: allowed });
  await db.destroy();
  return key;
}

function isUnauthorized(answer: WireAnswer): boolean {
  return answer.status === 401 && answer.headers.has("WWW-Authenticate") && isRefusal(answer, "GET");
}

/** Returns whether the response is an Error with a 4xx status, a 501 for an unknown method, or the public response to OPTIONS. */
function isRefusal({ status, headers, text }: WireAnswer, method: string): boolean {
  if (method === "OPTIONS" && status === 204) return text === "" && headers.has("Allow");
  if (status === 501) return !METHODS.includes(method);
  if (status < 400 || status >= 500) return false;
  return method === "HEAD" ? text === "" : (JSON.parse(text) as ErrorBody).status === status;
}

/** Counts the rows of each table that a request could add to. */
async function rowsOf({ databaseUrl }: TestService): Promise<Record<string, number>> {
  const db = openDatabase<Tables>(databaseUrl);
  const counts: Record<string, number> = {};
  for (const table of ["things", "idempotency_keys", "api_keys", "audit"] as const) {
    const { count } = await db
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    counts[table] = count;
  }
  await db.destroy();
  return counts;
}
