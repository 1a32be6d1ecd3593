import { sql } from "kysely";
import { expect, onTestFinished, test, vi } from "vitest";
import { temporaryUrl } from "../src/testing/temporary.ts";
import { DatabaseError } from "../src/database-error.ts";
import { migrate, type Migration } from "../src/migrations.ts";
import { opened } from "./things.ts";

test("migrate waits for a concurrent migration, even longer than lock_timeout", async () => {
  const url = await temporaryUrl();
  const [one, two] = [opened(url), opened(`${url}?lock_timeout=50`)];
  const reported = new Set<string>();
  let waiting: Promise<string[]> | undefined;
  const slow: Migration = {
    servedBy: "every version",
    up: async () => {
      waiting ??= migrate(two, { slow }, { report: (task) => reported.add(task) });
      await sql`select pg_sleep(0.5)`.execute(one);
    },
  };
  expect(await migrate(one, { slow })).toEqual(["slow"]);
  expect(await waiting).toEqual([]);
  expect([...reported]).toEqual(["Waiting for another process to migrate the database"]);
});

test("migrate gives up after a minute of another process's migration", async () => {
  const url = await temporaryUrl();
  const [one, two] = [opened(url), opened(url)];
  onTestFinished(() => void vi.restoreAllMocks());
  const slow: Migration = {
    servedBy: "every version",
    up: async () => {
      const now = performance.now.bind(performance);
      const begun = now();
      vi.spyOn(performance, "now").mockImplementation(() => begun + 1_000 * (now() - begun)); // a minute passes in 60 ms
      await expect(migrate(two, { slow })).rejects.toThrow(
        new DatabaseError(
          "Another process has been migrating the database for a minute. Wait for it to finish, or stop it.",
        ),
      );
      expect(now() - begun).toBeGreaterThan(60);
      vi.restoreAllMocks();
    },
  };
  expect(await migrate(one, { slow })).toEqual(["slow"]);
});
