import { fork } from "node:child_process";
import { once } from "node:events";
import { openDatabase } from "@openapi-operations/storage/database";
import { migrate } from "@openapi-operations/storage/migrations";
import { temporaryUrl } from "@openapi-operations/storage/testing";
import { describe, expect, test } from "vitest";
import { type Database, MIGRATIONS } from "../tables.ts";
import { pathOf, run, startService } from "./start.ts";

test("a server starts after another was killed in the middle of a migration", async () => {
  const url = await temporaryUrl();
  const killed = fork(pathOf("migrate-halfway"), [url]);
  const exited = once(killed, "exit");
  expect((await once(killed, "message"))[0]).toBe("halfway");
  killed.kill("SIGKILL");
  expect(await exited).toEqual([null, "SIGKILL"]);
  await using service = await startService({ DATABASE_URL: url });
  expect((await service.add()).id).toBe(1);
});

describe("a program that is older than the database", () => {
  const up = async () => {};
  const last = Object.keys(MIGRATIONS).at(-1)!;
  const LATER = {
    "9997_add": { servedBy: "every version", up },
    "9998_remove": { servedBy: { since: last }, up },
    "9999_remove_added": { servedBy: { since: "9997_add" }, up },
  } as const;

  test("starts, serves and runs its commands if the later migrations allow it", async () => {
    const { "9999_remove_added": _, ...later } = LATER;
    const url = await temporaryUrl();
    await using(url, (db) => migrate(db, { ...MIGRATIONS, ...later }));
    await using service = await startService({ DATABASE_URL: url });
    expect((await service.add()).id).toBe(1);
    const env = { DATABASE_URL: url };
    expect(await run(["migrate"], env)).toMatchObject({ code: 0, stderr: "" });
    expect(await run(["keys", "list"], env)).toMatchObject({ code: 0, stderr: "" });
  });

  test("stops with the reason in one line if one of them does not", async () => {
    const url = await temporaryUrl();
    await using(url, (db) => migrate(db, { ...MIGRATIONS, ...LATER }));
    expect(await run(["serve"], { DATABASE_URL: url, PORT: "0" })).toEqual({
      code: 1,
      stdout: "",
      stderr:
        "The database is newer than this program, which does not know its migration 9997_add, 9998_remove, 9999_remove_added. Versions since 9997_add can serve it after 9999_remove_added. Run the version that made it, or a later one.\n",
    });
  });
});

async function using(url: string, act: (db: Database) => Promise<unknown>): Promise<void> {
  const db = openDatabase(url);
  try {
    await act(db);
  } finally {
    await db.destroy();
  }
}
