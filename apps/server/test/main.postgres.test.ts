import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { migrate } from "@platform/storage/migrations";
import { temporaryUrl } from "@platform/test-support/temporary";
import type { Kysely } from "kysely";
import { expect, test } from "vitest";
import { MIGRATIONS } from "../src/migrations.ts";
import { ENTRY, run } from "./program.ts";
import { opened } from "./temporary.ts";

/** When an idle connection ends, unless the command closes it. */
const IDLE_MS = 10_000;

test.each([[["migrate"]], [["keys", "list"]]])(
  "%j closes its connection to PostgreSQL, and so ends at once",
  async (words) => {
    const DATABASE_URL = await temporaryUrl();
    await run(["migrate"], { DATABASE_URL });
    const began = performance.now();
    expect(await run(words, { DATABASE_URL })).toMatchObject({ code: 0, stderr: "" });
    expect(performance.now() - began).toBeLessThan(IDLE_MS);
  },
);

test("petstore migrate says on standard error that it waits, and prints only its result to standard output", async () => {
  const DATABASE_URL = await temporaryUrl();
  let result: Promise<string> | undefined;
  let progress = "";
  const untilProgress = async () => {
    const child = spawn(process.execPath, [ENTRY, "migrate"], { env: { DATABASE_URL } });
    result = text(child.stdout);
    for await (const chunk of child.stderr.setEncoding("utf8")) if ((progress += chunk as string).includes("\n")) break;
  };
  const [name, migration] = Object.entries(MIGRATIONS)[0]!;
  const slow = { ...migration, up: (db: Kysely<unknown>) => untilProgress().then(() => migration.up(db)) };
  await migrate(opened(DATABASE_URL), { ...MIGRATIONS, [name]: slow });
  expect(progress).toMatch(/^Waiting for another process that migrates the database(, 1 s)?\n$/);
  expect(await result).toBe("The database is up to date.\n");
});
