import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { startService } from "@petstore/server/testing";
import { http } from "msw";
import { setupServer } from "msw/node";
import { describe, expect, expectTypeOf, onTestFinished, test } from "vitest";
import { createPetstore, type NewPet, type Pet, type PetStatus, type PetstoreOptions } from "../src/index.ts";
import { ContractViolation, createFakePetstore } from "../src/testing.ts";

const rex: Pet = { id: 1, name: "Rex", categoryId: 1, status: "available" };

function start(options: Partial<PetstoreOptions> = {}) {
  const fake = createFakePetstore();
  const service = { baseUrl: "https://pets.test/v1", apiKey: "any", fetch: fake.fetch, onDeprecated: false as const };
  return { fake, petstore: createPetstore({ ...service, ...options }) };
}

describe("a response without a mocked body is the contract's example", () => {
  test("for the success of each operation", async () => {
    const { fake, petstore } = start();
    expect(await petstore.listPets().orThrow()).toEqual([
      rex,
      { id: 2, name: "Mia", categoryId: 2, status: "pending" },
    ]);
    expect(await petstore.createPet({ name: "Tom", categoryId: 3 })).toMatchObject({ status: 201, data: rex });
    expect(await petstore.getPet({ petId: 7 }).orThrow()).toEqual(rex);
    fake.verify();
  });

  test("for the mocked status, with its required headers", async () => {
    const { fake, petstore } = start({ retry: false });
    fake.mock("getPet", { status: 404 }, { status: 401 }, { status: 503 }, { status: 418 }, { status: 304 });
    const answers = [];
    for (let count = 0; count < 6; count++) answers.push(await petstore.getPet({ petId: 1 }));
    expect(answers.map(({ status, error }) => [status, error?.code])).toEqual([
      [404, "not_found"],
      [401, "unauthorized"],
      [503, "unavailable"],
      [418, "not_acceptable"],
      [304, "not_modified"],
      [304, "not_modified"],
    ]);
    expect(answers[1]!.response?.headers.get("WWW-Authenticate")).toContain("Bearer");
    expect(answers[3]!.error?.status).toBe(418);
  });

  test("and checkContract gets the contract itself", async () => {
    const { petstore } = start();
    expect(await petstore.checkContract()).toMatchObject({ compatible: true, added: [], server: petstore.contract });
  });
});

describe("a mock responds", () => {
  test("with the result of a function, typed by its operation", async () => {
    const { fake, petstore } = start();
    fake.mock("createPet", ({ body }) => {
      expectTypeOf(body).toEqualTypeOf<NewPet>();
      return { status: 201, body: { status: "available", ...body, id: 7 } };
    });
    fake.mock("getPet", async ({ path }) => {
      expectTypeOf(path).toEqualTypeOf<{ petId: number }>();
      return path.petId === 7 ? { status: 200, body: { ...rex, id: 7 } } : { status: 404 };
    });
    const created = await petstore.createPet({ name: "Tom", categoryId: 3 }).orThrow();
    expect(created).toEqual({ id: 7, name: "Tom", categoryId: 3, status: "available" });
    expect((await petstore.getPet({ petId: 7 })).status).toBe(200);
    expect((await petstore.getPet({ petId: 8 })).status).toBe(404);
    fake.verify();
  });

  test("with its results in order, then repeats the last one, so that tests can cover retries", async () => {
    const { fake, petstore } = start({ retry: { baseDelay: 1 } });
    fake.mock("listPets", { status: 503 }, { status: 429 }, { status: 200, body: [] });
    expect(await petstore.listPets().orThrow()).toEqual([]);
    expect(await petstore.listPets().orThrow()).toEqual([]);
    expect(fake.requestsTo("listPets")).toHaveLength(4);
  });

  test("page by page, with a Link header", async () => {
    const { fake, petstore } = start();
    fake.mock("listPets", ({ query }) =>
      query.cursor === undefined
        ? { status: 200, body: [rex], headers: { Link: '</v1/pets?cursor=Mq>; rel="next"' } }
        : { status: 200, body: [{ ...rex, id: 2 }] },
    );
    const ids = [];
    for await (const { id } of petstore.paginate.listPets()) ids.push(id);
    expect(ids).toEqual([1, 2]);
  });

  test("with a failed connection, if the function throws", async () => {
    const { fake, petstore } = start({ retry: false });
    const cause = new TypeError("no route to host");
    fake.mock("listPets", () => Promise.reject(cause));
    expect(await petstore.listPets()).toMatchObject({ status: 0, error: { code: "network_error" }, cause });
    fake.verify();
  });

  test("no longer after a reset", async () => {
    const { fake, petstore } = start();
    fake.mock("listPets", { status: 200, body: [] });
    await petstore.listPets();
    await petstore.listPets({ limit: 0 });
    fake.reset();
    expect([fake.requests, fake.violations]).toEqual([[], []]);
    expect(await petstore.listPets().orThrow()).toHaveLength(2);
  });
});

test("requests are recorded with parsed values", async () => {
  const { fake, petstore } = start();
  await petstore.listPets({ limit: 10, status: "sold" });
  await petstore.getPet({ petId: -3 });
  await petstore.createPet({ name: "Zoë / 2", categoryId: 1, "Idempotency-Key": "mine" });
  const [listing, fetching, creation] = fake.requests;
  expect(listing).toMatchObject({ operationId: "listPets", path: {}, query: { limit: 10, status: "sold" } });
  expect(listing).toMatchObject({ url: "https://pets.test/v1/pets?limit=10&status=sold", body: undefined });
  expect(fetching).toMatchObject({ operationId: "getPet", path: { petId: -3 }, query: {} });
  expect(creation).toMatchObject({ operationId: "createPet", body: { name: "Zoë / 2", categoryId: 1 } });
  expect(creation?.headers.get("Idempotency-Key")).toBe("mine");
  expect(fake.requestsTo("createPet")).toEqual([creation]);
  if (listing?.operationId === "listPets") expectTypeOf(listing.query.status).toEqualTypeOf<PetStatus | undefined>();
});

describe("a request that breaks the contract gets a 501 and is not recorded", () => {
  const key = { Authorization: "Bearer any" };
  const json = { ...key, "Content-Type": "application/json" };
  const post = (body: string, headers: Record<string, string> = json) => ({ method: "POST", body, headers });
  const long = "x".repeat(300);
  const broken: [string, string, string | undefined, RequestInit?][] = [
    ["/v1/animals", "The contract has no operation GET /v1/animals.", undefined],
    ["/pets", "The contract has no operation GET /pets.", undefined],
    ["/v1/pets/1/2", "The contract has no operation GET /v1/pets/1/2.", undefined],
    ["/v1/pets", "The contract has no operation DELETE /v1/pets.", undefined, { method: "DELETE" }],
    ["/v1/pets", "listPets: the request ", "/headers/Authorization", { headers: {} }],
    ["/v1/pets?limit=0", "listPets: the request ", "/query/limit"],
    ["/v1/pets?limit=1e1", "listPets: the request ", "/query/limit"],
    ["/v1/pets?limit=1&limit=2", "listPets: the request ", "/query/limit"],
    ["/v1/pets?status=lost", "listPets: the request ", "/query/status"],
    ["/v1/pets?stauts=sold", "listPets: the request ", "/query/stauts"],
    ["/v1/pets/rex", "getPet: the request ", "/path/petId"],
    ["/v1/pets/%zz", "getPet: the request ", "/path/petId"],
    ["/v1/pets/9007199254740993", "getPet: the request ", "/path/petId"],
    ["/v1/pets", "createPet: the request ", "/body", post('{"name":"Rex"}')],
    ["/v1/pets", "createPet: the request ", "/body", post('{"name":')],
    ["/v1/pets", "createPet: the request ", "/body", post("")],
    ["/v1/pets", "createPet: the request ", "/body/categoryId", post('{"name":"Rex","categoryId":"1"}')],
    ["/v1/pets", "createPet: the request ", "/body/name", post('{"name":"\\u0007","categoryId":1}')],
    ["/v1/pets", "createPet: the request ", "/body/a~1b", post('{"name":"Rex","categoryId":1,"a/b":1}')],
    ["/v1/pets", "createPet: the request ", "/headers/Content-Type", post("name=Rex", key)],
    [
      "/v1/pets",
      "createPet: the request ",
      "/headers/Idempotency-Key",
      post("{}", { ...json, "Idempotency-Key": long }),
    ],
  ];

  test.each(broken)("%s: %s %s", async (path, message, pointer, init = { headers: key }) => {
    const { fake } = start();
    const response = await fake.fetch(`https://pets.test${path}`, init);
    expect(response.status).toBe(501);
    const text = pointer === undefined ? message : `${message}breaks the contract at ${pointer}: `;
    expect(await response.json()).toEqual({
      code: "contract_violation",
      message: expect.stringContaining(text),
      status: 501,
    });
    expect(fake.violations).toEqual([expect.objectContaining({ pointer, message: expect.stringContaining(text) })]);
    expect(fake.requests).toEqual([]);
    expect(() => fake.verify()).toThrow(fake.violations[0]);
  });

  test("the service rejects the same requests, and only those", async () => {
    await using service = await startService();
    const headers = { ...json, Authorization: `Bearer ${service.key}` };
    const send = (path: string, init: RequestInit) => fetch(new URL(path, service.baseUrl), init);
    for (const [path, message, pointer, init = {}] of broken) {
      const isWithoutKey = pointer === "/headers/Authorization";
      const own = { ...(init.headers as object), ...(!isWithoutKey && { Authorization: headers.Authorization }) };
      const { status } = await send(path, { ...init, headers: own });
      expect([status, message]).toEqual([expect.toSatisfy((refused) => refused >= 400 && refused < 500), message]);
    }
    const { fake } = start();
    for (const [path, init] of [
      ["/v1/pets?limit=1&status=sold", { headers }],
      ["/v1/pets", { method: "POST", body: '{"name":"Rex","categoryId":1}', headers }],
      ["/v1/pets/%31", { headers }],
    ] as const) {
      const answers = [await send(path, init), await fake.fetch(`https://pets.test${path}`, init)];
      expect(answers.map(({ ok }) => ok)).toEqual([true, true]);
    }
  });

  test("the message names an undeclared field", async () => {
    const { fake, petstore } = start();
    await petstore.createPet({ name: "Rex", categoryId: 1, colour: "brown" } as NewPet);
    expect(() => fake.verify()).toThrow("the contract at /body/colour: The contract has no such field.");
  });

  test("the client returns the 501 as an error, without a retry", async () => {
    const { fake, petstore } = start();
    const message = "listPets: the request breaks the contract at /query/limit: 500 is greater than 100.";
    await expect(petstore.listPets({ limit: 500 }).orThrow()).rejects.toThrow(message);
    expect(fake.violations.map((violation) => violation.message)).toEqual([message]);
  });
});

describe("a mocked response that breaks the contract", () => {
  const wrong = { ...rex, status: "lost" } as unknown as Pet;

  test.each<[string, object]>([
    ["/body/1/status", { status: 200, body: [rex, wrong] }],
    ["/body/0", { status: 200, body: [{ id: 1 }] }],
    ["/body", { status: 200, body: rex }],
    ["/body", { status: 304, body: {} }],
    ["/body/code", { status: 404, body: { code: "", message: "?", status: 404 } }],
    ["/headers/Link", { status: 200, headers: { Link: "x".repeat(3000) } }],
    ["/status", { status: 204 }],
    ["/status", { status: 302 }],
    ["/status", { status: 600 }],
  ])("throws in mock(): %s of %j", (pointer, answer) => {
    const { fake } = start();
    const mock = () => fake.mock("listPets", answer as never);
    expect(mock).toThrow(ContractViolation);
    expect(mock).toThrow(expect.objectContaining({ operationId: "listPets", pointer }));
    expect(mock).toThrow(/^listPets: the mocked response \d+ breaks the contract at \//);
  });

  test("gets a 501 when a function returns it", async () => {
    const { fake, petstore } = start();
    fake.mock("getPet", () => ({ status: 200, body: wrong }));
    const message = "getPet: the mocked response 200 breaks the contract at /body/status: ";
    expect(await petstore.getPet({ petId: 1 })).toMatchObject({ status: 501, error: { code: "contract_violation" } });
    expect(() => fake.verify()).toThrow(message);
  });

  test("throws for an unknown operation", () => {
    const { fake } = start();
    // @ts-expect-error there is no such operation
    const mock = () => fake.mock("listDogs", { status: 200 });
    expect(mock).toThrow('The contract has no operation "listDogs".');
  });

  test("does not compile", () => {
    const { fake } = start();
    const never = () => {
      // @ts-expect-error the contract declares no such status
      fake.mock("createPet", { status: 200 });
      // @ts-expect-error a listing is an array
      fake.mock("listPets", { status: 200, body: rex });
      // @ts-expect-error the body of a failure is an Error
      fake.mock("getPet", { status: 404, body: rex });
      // @ts-expect-error at least one answer
      fake.mock("getPet");
    };
    expect(never).toBeTypeOf("function");
  });
});

test("fetch accepts a string or a URL, and rejects if its signal is aborted", async () => {
  const { fake } = start();
  const init = { headers: { Authorization: "Bearer any" } };
  for (const input of ["https://pets.test/v1/pets", new URL("https://pets.test/v1/pets")])
    expect((await fake.fetch(input, init)).status).toBe(200);
  expect((await fake.fetch("https://pets.test/v1/pets/%31", init)).status).toBe(200);
  await expect(fake.fetch("https://pets.test/v1/pets", { signal: AbortSignal.abort() })).rejects.toThrow("aborted");
});

test("MSW passes requests to the fake", async () => {
  const { fake } = start();
  const server = setupServer(http.all("https://pets.test/v1/*", ({ request }) => fake.fetch(request)));
  server.listen({ onUnhandledFrame: "error" });
  onTestFinished(() => server.close());
  const petstore = createPetstore({ baseUrl: "https://pets.test/v1", apiKey: "any" });
  fake.mock("listPets", { status: 200, body: [rex] });
  expect(await petstore.listPets({ limit: 1 }).orThrow()).toEqual([rex]);
  expect((await petstore.listPets({ limit: 0 })).error?.message).toContain("/query/limit");
});

test("tests with node:test pass", async () => {
  const file = join(import.meta.dirname, "fixtures/shop.node-test.ts");
  const { stdout } = await promisify(execFile)(process.execPath, ["--test", "--test-reporter=tap", file]);
  expect(stdout).toMatch(/^# pass 2$/m);
});
