import type { Pet } from "@petstore/contract";
import { document } from "@petstore/contract/document";
import { createApiKey } from "@openapi-operations/api-keys/keys.repository";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectError, json, startService, type TestService } from "../petstore.ts";
import { opened } from "../temporary.ts";

type Schema = { $ref?: string; type?: unknown; enum?: unknown[]; properties?: Record<string, Schema> };
const schemas: Record<string, Schema> = document.components.schemas;

/** Each value of an `enum`, and a fraction of a number: the compiler knows neither what migrations allow nor integers. */
const VALUES = Object.entries(schemas["NewPet"]!.properties!).flatMap(([field, schema]) => {
  const { type, enum: values = [] } = schemas[schema.$ref?.split("/").at(-1) ?? ""] ?? schema;
  return [...values, ...([type].flat().includes("number") ? [0.5] : [])].map((value) => [field, value] as const);
});

const MINUTE = 60 * 1000;
const DAY = 24 * 60 * MINUTE;

describe("createPet", () => {
  let service: TestService;
  beforeAll(async () => void (service = await startService()));
  afterAll(() => service[Symbol.asyncDispose]());

  const post = (body: unknown, headers?: Record<string, string>) => service.request("/pets", json(body, headers));
  const count = async () => ((await (await service.request("/pets?limit=100")).json()) as Pet[]).length;

  test("201: adds an animal, available by default, and assigns an id", async () => {
    const response = await post({ name: "Rex", categoryId: 1 });
    expect(response.status).toBe(201);
    const pet = (await response.json()) as Pet;
    expect(pet).toEqual({ id: expect.any(Number), name: "Rex", categoryId: 1, status: "available" });
    expect(await (await service.request(`/pets/${pet.id}`)).json()).toEqual(pet);
    expect(await service.addPet({ name: "Mia", categoryId: 2, status: "sold" })).toMatchObject({ status: "sold" });
  });

  test.each([
    "x",
    "é".repeat(255),
    "🐕".repeat(255),
    " spaced ",
    "e\u0301 \u00e9",
    `"'; DROP TABLE pets; --`,
    "<b>&amp;</b>",
    "\u202eright to left",
    "日本",
  ])("201: the name is stored unchanged: %s", async (name) => {
    const pet = await service.addPet({ name, categoryId: 1 });
    expect(pet.name).toBe(name);
    expect(await (await service.request(`/pets/${pet.id}`)).json()).toEqual(pet);
  });

  test.each(VALUES)("201: the table pets holds each %s of the contract: %j", async (field, value) => {
    const response = await post({ name: "Rex", categoryId: 1, [field]: value });
    expect(response.status, `A migration has to let the table pets hold this ${field}.`).toBe(201);
    expect(await response.json()).toMatchObject({ [field]: value });
  });

  test.each([0, -1, 9007199254740991, -9007199254740991])("201: stores categoryId %d exactly", async (categoryId) => {
    expect((await service.addPet({ name: "n", categoryId })).categoryId).toBe(categoryId);
  });

  test.each(["application/json;charset=UTF-8", 'application/json; charset="utf-8"', "Application/JSON"])(
    "201: reads %s",
    async (type) => expect((await post({ name: "Rex", categoryId: 1 }, { "Content-Type": type })).status).toBe(201),
  );

  const valid = { name: "Rex", categoryId: 1 };
  test.each<[string, unknown, string]>([
    ["no categoryId", { name: "Rex" }, `"categoryId"`],
    ["no name", { categoryId: 1 }, `"name"`],
    ["an unknown field", { ...valid, colour: "red" }, `"colour"`],
    ["an id", { ...valid, id: 1 }, `"id"`],
    ["a name that is a number", { ...valid, name: 1 }, `"name"`],
    ["a name that is null", { ...valid, name: null }, `"name"`],
    ["an empty name", { ...valid, name: "" }, `"name"`],
    ["a name of 256 characters", { ...valid, name: "é".repeat(256) }, `"name"`],
    ["a NUL in the name", { ...valid, name: "a\0b" }, `"name"`],
    ["a newline in the name", { ...valid, name: "a\nb" }, `"name"`],
    ["a C1 control in the name", { ...valid, name: "a\u0085b" }, `"name"`],
    ["a lone surrogate in the name", '{"name":"\\ud800","categoryId":1}', `"name"`],
    ["a categoryId that is a string", { ...valid, categoryId: "1" }, `"categoryId"`],
    ["a categoryId with a fraction", { ...valid, categoryId: 1.5 }, `"categoryId"`],
    ["an unknown status", { ...valid, status: "lost" }, `"status"`],
    ["a status that is null", { ...valid, status: null }, `"status"`],
    ["a categoryId of 2^53", '{"name":"Rex","categoryId":9007199254740992}', `"categoryId"`],
    ["a categoryId of 2^53 + 1", '{"name":"Rex","categoryId":9007199254740993}', "exactly"],
    ["a categoryId that a double would round", '{"name":"Rex","categoryId":1.00000000000000000001}', "exactly"],
    ["a categoryId of 1e400", '{"name":"Rex","categoryId":1e400}', "exactly"],
    ["a field given twice", '{"name":"Rex","categoryId":1,"n\\u0061me":"Max"}', "twice"],
    ["__proto__", '{"name":"Rex","categoryId":1,"__proto__":{"status":"sold"}}', `"__proto__"`],
    ["an array", [valid], "object"],
    ["null", "null", "object"],
    ["text that is not JSON", "{name: Rex}", "JSON"],
    ["60,000 unclosed brackets", "[".repeat(60_000), "JSON"],
    ["deep nesting", `${"[".repeat(30_000)}${"]".repeat(30_000)}`, "nests"],
  ])("400: %s; the error names the place, and nothing is added", async (_title, body, place) => {
    const before = await count();
    expect(await expectError(await post(body), 400, "invalid_request")).toContain(place);
    expect(await count()).toBe(before);
  });

  test("400: an API key in the name or the Idempotency-Key, and nothing is added", async () => {
    const before = await count();
    const misplaced = [post({ ...valid, name: `my ${service.key}` }), post(valid, { "Idempotency-Key": service.key })];
    for (const response of await Promise.all(misplaced)) {
      const message = await expectError(response, 400, "invalid_request");
      expect(message).toContain("Send API keys in the Authorization header only.");
      expect(message).not.toContain("pst_");
    }
    expect(await count()).toBe(before);
  });

  test("400: no body, and a body that is not UTF-8", async () => {
    await expectError(await service.request("/pets", { method: "POST" }), 400, "invalid_request");
    await expectError(await post(""), 400, "invalid_request");
    const bytes = Buffer.concat([
      Buffer.from('{"categoryId":1,"name":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}'),
    ]);
    await expectError(await service.request("/pets", { ...json(""), body: bytes }), 400, "invalid_request");
  });

  test("400: the error repeats no values and no odd names", async () => {
    for (const body of [{ ...valid, "<script>": 1 }, { ...valid, status: "<script>" }, "<script>"]) {
      expect(await expectError(await post(body), 400, "invalid_request")).not.toContain("script");
    }
  });

  test("401: without a valid key, before the body is validated", async () => {
    await expectError(await service.request("/pets", { ...json("nonsense"), key: null }), 401, "unauthorized");
  });

  test.each([
    "text/plain",
    "application/xml",
    "application/json; charset=latin1",
    "application/json; v=1",
    "json",
    `application/json;${" ".repeat(8000)}v=1`,
  ])(
    "default: 415 for %s",
    async (type) =>
      void (await expectError(await post(valid, { "Content-Type": type }), 415, "unsupported_media_type")),
  );

  test("default: 415 for a compressed body", async () => {
    const response = await post(valid, { "Content-Encoding": "gzip" });
    expect(response.headers.get("Accept-Encoding")).toBe("identity");
    await expectError(response, 415, "unsupported_media_type");
  });

  test.each(["If-Match", "If-None-Match"])("default: 412 for the condition %s, and nothing is added", async (name) => {
    const before = await count();
    for (const tag of ["*", '"7sLtUxhYkBdGc0pVnQ2m5w"']) {
      const message = await expectError(await post(valid, { [name]: tag }), 412, "precondition_failed");
      expect(message).toBe(`This operation does not support ${name}, so it did nothing. Leave the header out.`);
    }
    expect(await count()).toBe(before);
  });

  test("default: 413 for a body over 64 KiB, with and without Content-Length", async () => {
    const body = JSON.stringify({ ...valid, name: "x".repeat(70 * 1024) });
    await expectError(await post(body), 413, "payload_too_large");
    const init = { ...json(""), body: new Blob([body]).stream(), duplex: "half" } as RequestInit;
    await expectError(await service.request("/pets", init), 413, "payload_too_large");
  });

  describe("with an Idempotency-Key", () => {
    const keyed = (key: string, body: unknown = valid) => post(body, { "Idempotency-Key": key });

    test("201: a repeat gets the first response and adds nothing", async () => {
      const first = await keyed("repeat-1");
      const before = await count();
      const again = await keyed("repeat-1");
      expect(again.status).toBe(201);
      expect(first.headers.get("Idempotency-Replayed")).toBeNull();
      expect(again.headers.get("Idempotency-Replayed")).toBe("true");
      expect(await again.json()).toEqual(await first.json());
      expect(await count()).toBe(before);
    });

    test("201: ten simultaneous requests add one animal", async () => {
      const before = await count();
      const answers = await Promise.all(Array.from({ length: 10 }, () => keyed("at-once")));
      const bodies = (await Promise.all(answers.map((answer) => answer.json()))) as Pet[];
      expect(new Set(bodies.map((pet) => pet.id)).size).toBe(1);
      expect(await count()).toBe(before + 1);
    });

    test("201: the same Idempotency-Key from another caller is another request", async () => {
      const { key } = await createApiKey(opened(service.databaseUrl), { name: "other", environment: "development" });
      const mine = (await (await keyed("shared")).json()) as Pet;
      const answer = await service.request("/pets", { ...json(valid, { "Idempotency-Key": "shared" }), key });
      expect(answer.headers.get("Idempotency-Replayed")).toBeNull();
      expect(((await answer.json()) as Pet).id).toBeGreaterThan(mine.id);
    });

    test("422: for another body", async () => {
      await keyed("other-body");
      await expectError(await keyed("other-body", { ...valid, name: "Max" }), 422, "idempotency_key_reused");
    });

    test("201: a key is stored for 24 hours, and may then be used for another animal", async () => {
      const first = (await (await keyed("aged")).json()) as Pet;
      const db = opened(service.databaseUrl);
      const age = (milliseconds: number) =>
        db
          .updateTable("idempotency_keys")
          .set((row) => ({ created_at: row("created_at", "-", milliseconds) }))
          .where("key", "=", "aged")
          .execute();
      await age(DAY - MINUTE);
      expect(await (await keyed("aged")).json()).toEqual(first);
      await age(MINUTE);
      const later = await keyed("aged", { ...valid, name: "Max" });
      expect(later.headers.get("Idempotency-Replayed")).toBeNull();
      const second = (await later.json()) as Pet;
      expect(second).toMatchObject({ name: "Max" });
      expect(second.id).toBeGreaterThan(first.id);
      expect(await (await keyed("aged", { ...valid, name: "Max" })).json()).toEqual(second);
    });

    test("a rejected request does not use up the key", async () => {
      await expectError(await keyed("after-400", { name: "Rex" }), 400, "invalid_request");
      expect((await keyed("after-400")).status).toBe(201);
    });

    test.each(["", "two words", "x".repeat(256), "é"])("400: for the key '%s'", async (key) => {
      await expectError(await keyed(key), 400, "invalid_request");
    });
  });
});
