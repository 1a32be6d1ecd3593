import { runConformance } from "express-operations/conformance";
import {
  type OpenApiDocument,
  operationsOf,
  type RequestBodyObject,
  resolve,
  type ResponseObject,
} from "openapi-document";
import { describe, expect, test } from "vitest";
import { bundle, CONTRACT_FILE } from "openapi-contract/bundle";
import { json, serve } from "./serve.ts";

const document = (await bundle(CONTRACT_FILE)) as unknown as OpenApiDocument;
const REX = { name: "Rex", categoryId: 7 };

describe("the mock of the contract", () => {
  test("starts with the examples, and lists, pages and fetches created animals", async () => {
    const { request } = await serve({ document });
    const before = (await (await request("/pets")).json()) as object[];
    expect(before).toEqual(
      declaredExamples(document).find(({ operationId, example }) => operationId === "listPets" && example === "page")
        ?.value,
    );

    const created = await request("/pets", json(REX));
    expect(created.status).toBe(201);
    const rex: unknown = await created.json();
    expect(rex).toEqual({ id: 3, ...REX, status: "available" });
    expect(await (await request("/pets/3")).json()).toEqual(rex);
    expect(await (await request("/pets?status=sold")).json()).toEqual([]);

    const walked: unknown[] = [];
    let next: string | undefined = "/pets?limit=1";
    for (let pages = 0; next !== undefined && pages < 4; pages++) {
      const page = await request(next);
      walked.push(...((await page.json()) as unknown[]));
      next = /^<\/v1(.*)>; rel="next"$/.exec(page.headers.get("Link") ?? "")?.[1];
    }
    expect(walked).toEqual([...before, rex]);
  });

  test("returns 404 for an unknown animal, 400 for an invalid request or cursor, and 401 without a key", async () => {
    const { baseUrl, request } = await serve({ document });
    const statuses = [
      request("/pets/4711"),
      request("/pets", json({ name: "Rex" })),
      request("/pets?cursor=zzz"),
      fetch(`${baseUrl}/pets`),
      fetch(`${baseUrl}/pets`, { headers: { Authorization: "Bearer " } }),
    ].map(async (answer) => (await answer).status);
    expect(await Promise.all(statuses)).toEqual([404, 400, 400, 401, 401]);
  });

  test("returns the first response for a repeated key, and 422 if the body differs", async () => {
    const { request } = await serve({ document });
    const create = (body: object) => request("/pets", json(body, { "Idempotency-Key": "one" }));
    const first = await create(REX);
    const second = await create(REX);
    expect(await second.json()).toEqual(await first.json());
    expect([first, second].map(({ headers }) => headers.get("Idempotency-Replayed"))).toEqual([null, "true"]);
    expect((await create({ ...REX, name: "Mia" })).status).toBe(422);
    expect(await (await request("/pets")).json()).toHaveLength(3);
  });

  test("passes every check that follows from the contract, except that it accepts any well-formed key", async () => {
    const { baseUrl } = await serve({ document });
    const credentials = () => ({ headers: { Authorization: "Bearer any-key" } });
    const { passed, failures } = await runConformance(document, { baseUrl, credentials });
    const checks = Object.entries(failures).map(([id, messages]) => [
      id,
      messages.map((text) => /(\d+) with [^:]+/.exec(text)?.[0]),
    ]);
    const ids = operationsOf(document).map(({ id }) => id);
    expect(checks).toEqual(ids.map((id) => [id, ["401 with credentials that are not valid"]]));
    expect(passed).toBeGreaterThan(50);
  });
});

describe("Prefer", () => {
  const cases = declaredExamples(document);

  test("the contract has more than ten examples of responses", () => {
    expect(cases.length).toBeGreaterThan(10);
  });

  test.each(cases)("$operationId: code=$code, example=$example", async ({ path, body, code, example, value }) => {
    const { request } = await serve({ document });
    const init = body === undefined ? {} : json(body);
    for (const Prefer of [`code=${code}, example=${example}`, `example=${example}, code=${code}`]) {
      const answer = await request(path, { ...init, headers: { ...init.headers, Prefer } });
      expect([answer.status, await answer.json()]).toEqual([code, value]);
      expect(answer.headers.get("Preference-Applied")).toBe(`code=${code}, example=${example}`);
    }
  });

  test("a code alone gets its example and the headers of the failure", async () => {
    const { request } = await serve({ document });
    const limited = await request("/pets", { headers: { Prefer: "code=429" } });
    expect([limited.status, limited.headers.get("Retry-After")]).toEqual([429, "1"]);
    expect(await limited.json()).toMatchObject({ code: "rate_limited", status: 429 });
    const refused = await request("/pets", { headers: { Prefer: "code=401" } });
    expect(refused.headers.get("WWW-Authenticate")).toContain("Bearer");
  });

  test("an example alone is searched in the success responses first", async () => {
    const { request } = await serve({ document });
    const empty = await request("/pets", { headers: { Prefer: "example=empty" } });
    expect([empty.status, await empty.json()]).toEqual([200, []]);
    const missing = await request("/pets/1", { headers: { Prefer: "example=notFound" } });
    expect([missing.status, missing.headers.get("Preference-Applied")]).toEqual([404, "example=notFound"]);
  });

  test("a preference that cannot be met is ignored, logged and left out of Preference-Applied", async () => {
    const lines: string[] = [];
    const { request } = await serve({ document, log: (line) => lines.push(line) });
    const answer = await request("/pets", { headers: { Prefer: "code=200, example=nothing, wait=5" } });
    expect([answer.status, answer.headers.get("Preference-Applied")]).toEqual([200, "code=200"]);
    await answer.text();
    expect(lines).toEqual(["GET /v1/pets 200 (listPets has nothing for Prefer: example=nothing)"]);
  });

  test("an invalid request is rejected even with a preference", async () => {
    const { request } = await serve({ document });
    expect((await request("/pets?limit=0", { headers: { Prefer: "code=200" } })).status).toBe(400);
  });
});

/** Every example of every response of the document, with its status. For `default`, the status is in the body. */
function declaredExamples(of: OpenApiDocument) {
  return operationsOf(of).flatMap(({ id: operationId, path: template, operation }) =>
    Object.entries(operation.responses ?? {}).flatMap(([key, node]) => {
      const body = firstExample(resolve<RequestBodyObject | undefined>(of, operation.requestBody));
      const [media] = Object.values(resolve<ResponseObject>(of, node).content ?? {});
      const { examples = {} } = (media ?? {}) as { examples?: Record<string, { value: { status?: number } }> };
      return Object.entries(examples).map(([example, { value }]) => {
        const code = key === "default" ? value.status! : Number(key);
        return { operationId, body, path: template.replace(/\{\w+\}/, "1"), code, example, value };
      });
    }),
  );
}

/** Returns the first example of a body, if there is one. */
function firstExample(requestBody: RequestBodyObject | undefined): object | undefined {
  const [media] = Object.values(requestBody?.content ?? {}) as { examples?: Record<string, { value: object }> }[];
  return Object.values(media?.examples ?? {})[0]?.value;
}
