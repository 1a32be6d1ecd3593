import { temporaryUrl } from "@platform/test-support/temporary";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { migrate } from "../src/migrations.ts";
import { opened } from "./things.ts";

test("migrate waits for a concurrent migration, even longer than lock_timeout", async () => {
  const url = await temporaryUrl();
  const [one, two] = [opened(url), opened(`${url}?lock_timeout=50`)];
  let waiting: Promise<string[]> | undefined;
  const slow = {
    up: async () => {
      waiting ??= migrate(two, { slow });
      await sql`select pg_sleep(0.5)`.execute(one);
    },
  };
  expect(await migrate(one, { slow })).toEqual(["slow"]);
  expect(await waiting).toEqual([]);
});
