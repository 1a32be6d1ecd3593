import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@platform/test-support/temporary";
import { expect, test } from "vitest";
import { examineLog } from "../src/maintenance/examine.ts";

test.each([
  [undefined, "0 MiB", false],
  [1, "1 MiB", false],
  [2 ** 30 - 1, "1024 MiB", false],
  [2 ** 30, "1024 MiB", true],
])("examineLog reports the size of the log: %s bytes", async (bytes, size, hasRemedy) => {
  const database = join(await temporaryFolder(), "things.db");
  if (bytes !== undefined) {
    writeFileSync(`${database}-wal`, "");
    truncateSync(`${database}-wal`, bytes);
  }
  expect(examineLog(database)).toEqual({
    found: `${size} that another program moves into the database`,
    ...(hasRemedy && { remedy: "See that this program, such as Litestream, runs. Otherwise the log fills the disk." }),
  });
});
