import { statSync } from "node:fs";
import { temporaryUrl } from "@platform/test-support/temporary";
import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { migrate } from "../src/migrations.ts";
import { openStorage } from "../src/open-storage.ts";
import { pathOfFileUrl } from "../src/url.ts";
import { MIGRATIONS, opened, type Tables } from "./things.ts";

/** More than the 1000 pages of 4 KiB at which SQLite moves the log into the file. */
const FILLER = 5 * 2 ** 20;

test.each([
  ["automatic", true],
  ["external", false],
] as const)("with %s checkpoints, a large commit moves the log into the file: %s", async (checkpoints, isMoved) => {
  const url = await temporaryUrl();
  await migrate(opened(url), MIGRATIONS);
  const storage = openStorage<Tables>(url, { checkpoints });
  onTestFinished(() => storage.destroy());
  await storage.write((trx) => sql`create table filler as select zeroblob(${FILLER}) as filler`.execute(trx));
  expect(statSync(pathOfFileUrl(url)).size > FILLER).toBe(isMoved);
});
