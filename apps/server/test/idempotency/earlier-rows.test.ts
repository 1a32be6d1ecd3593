import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectError, json, startService, type TestService } from "../../testing/service.ts";
import { opened } from "../temporary.ts";

/** The id of the first API key of a database, which the requests use. */
const CALLER = 1;

/** Rows as version 1.0.0 wrote them: SHA-256 of the JSON of `[name, categoryId, status]`, and the body of the 201. */
const ROWS = [
  {
    title: "the default status, left out",
    sent: { name: "Rex", categoryId: 1 },
    request_hash: "43d1767f656bc6b96a7084f0103de4c170c2a0d416d8c8273e3f23ed54d90a9f",
    answer: '{"id":1001,"name":"Rex","categoryId":1,"status":"available"}',
  },
  {
    title: "the default status, sent",
    sent: { name: "Rex", categoryId: 1, status: "available" },
    request_hash: "43d1767f656bc6b96a7084f0103de4c170c2a0d416d8c8273e3f23ed54d90a9f",
    answer: '{"id":1002,"name":"Rex","categoryId":1,"status":"available"}',
  },
  {
    title: "fields in another order",
    sent: { status: "sold", categoryId: -9007199254740991, name: "x" },
    request_hash: "4da0770c0436d9bf4bf8d44da0dc03667c6743e75bc334b279a452641ad7307b",
    answer: '{"id":1003,"name":"x","categoryId":-9007199254740991,"status":"sold"}',
  },
  {
    title: "a name with letters, signs and marks of several scripts",
    sent: { name: 'Zoë 🐕 "日本" \\ e\u0301', categoryId: 2, status: "pending" },
    request_hash: "6e633dcc65cdf20407554bae3399632c9c6320398e2c1981dc43f95d3421d07d",
    answer: '{"id":1004,"name":"Zoë 🐕 \\"日本\\" \\\\ e\u0301","categoryId":2,"status":"pending"}',
  },
];

describe("an Idempotency-Key whose response version 1.0.0 stored", () => {
  let service: TestService;
  beforeAll(async () => void (service = await startService()));
  afterAll(() => service[Symbol.asyncDispose]());

  test.each(ROWS)("$title: 201 and the first response for the same body, 422 for another", async (row) => {
    const { title, sent, request_hash, answer } = row;
    const key = title.replaceAll(/\W/g, "-");
    const earlier = { api_key_id: CALLER, key, request_hash, answer, created_at: Date.now() };
    await opened(service.databaseUrl).insertInto("idempotency_keys").values(earlier).execute();
    const post = (body: object) => service.request("/pets", json(body, { "Idempotency-Key": key }));

    const replayed = await post(sent);
    expect(replayed.status).toBe(201);
    expect(replayed.headers.get("Idempotency-Replayed")).toBe("true");
    expect(await replayed.json()).toEqual(JSON.parse(answer));
    for (const change of [
      { name: "Max" },
      { categoryId: 3 },
      { status: row.sent.status === "sold" ? "pending" : "sold" },
    ]) {
      await expectError(await post({ ...sent, ...change }), 422, "idempotency_key_reused");
    }
    expect(await (await service.request("/pets")).json()).toEqual([]);
  });
});
