import { afterEach, expect, test } from "vitest";
import { logTo, type LogLevel } from "../src/index.ts";
import { faulty, KEY } from "./faulty.ts";

afterEach(() => {
  delete process.env["PETSTORE_LOG"];
});

async function linesOf(level?: LogLevel): Promise<string[]> {
  const lines: string[] = [];
  const write = (message: string) => void lines.push(message);
  let count = 0;
  await using server = await faulty(
    ({ headers }, response) => {
      const isKnown = headers.authorization === `Bearer ${KEY}`;
      const status = count++ === 0 || !isKnown ? 503 : 200;
      return response.writeHead(status, { "Content-Type": "application/json", "X-Key": KEY }).end("[]");
    },
    logTo({ debug: write, info: write, warn: write }, level),
  );
  expect((await server.petstore.listPets({ cursor: "secret" })).ok).toBe(true);
  return lines.map((line) => line.replace(/\d+ ms/, "n ms").replace(server.origin, ""));
}

const retry = "listPets unreadable_answer: attempt 2 in n ms";
const failed = "listPets GET /v1/pets 503 n ms (attempt 1)";
const done = "listPets GET /v1/pets 200 n ms (attempt 2)";

test("the log has the responses and retries of its level, and neither key nor query", async () => {
  expect(await linesOf("debug")).toEqual([failed, retry, done]);
  expect(await linesOf("warn")).toEqual([retry]);
});

test("PETSTORE_LOG sets the level", async () => {
  expect(await linesOf()).toEqual([]);
  process.env["PETSTORE_LOG"] = "info";
  expect(await linesOf()).toEqual([failed, retry]);
});
