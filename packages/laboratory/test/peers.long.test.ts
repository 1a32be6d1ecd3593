import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { installFolder } from "../measuring/install.ts";

const FOLDER = join(import.meta.dirname, "..");
/** The folders whose code needs packages that `test` does not install; `lint` and `typecheck` omit it. */
const WITH_PEERS = ["express-operations", "service/peers"];

beforeAll(async () => {
  for (const folder of WITH_PEERS) await installFolder(join(FOLDER, folder));
}, 300_000);

test.each(
  WITH_PEERS.flatMap((folder) => [
    [folder, "compiles", "tsc", "--project"],
    [folder, "passes the linter", "oxlint", "--type-aware"],
  ]),
)(
  "the code in %s %s",
  (folder, _, program, option) => {
    const { status, stdout } = spawnSync(program, [option, folder], { cwd: FOLDER, encoding: "utf8" });
    expect(status, stdout).toBe(0);
  },
  120_000,
);
