import { execFile } from "node:child_process";
import { join } from "node:path";
import { root } from "@platform/test-support/clone";
import { postgresUnavailable, startPostgres } from "@platform/test-support/postgres";
import { needsTool } from "@platform/test-support/machine";
import { expect, test } from "vitest";
import { programUnavailable, startPgbouncer } from "./proxies.ts";

const VITEST = join(root, "node_modules/vitest/vitest.mjs");
/** Two tests change settings of the server, which apply to new connections only. PgBouncer keeps its own open. */
const OTHERS =
  "^(?!.*(petstore doctor reports a PostgreSQL database|/readyz returns 503 while PostgreSQL is read-only))";

test.for([
  ["packages/api-keys", "test", ".long.test.ts"], // the long ones too
  ["apps/server"],
] as const)(
  "the portable tests of %s pass through PgBouncer in transaction mode",
  { timeout: 600_000 },
  async ([folder, ...files], context) => {
    needsTool(context, (await postgresUnavailable()) ?? programUnavailable("pgbouncer"));
    await using server = await startPostgres();
    await using pooler = await startPgbouncer(server.url);
    const url = server.url.replace(new URL(server.url).host, pooler.host);
    const { code, output } = await runTests(folder, files, { TEST_DATABASE_URL: url, NO_COLOR: "1" });
    expect(code, output).toBe(0);
    console.log(/^ *Tests .*$/m.exec(output)?.[0]);
  },
);

/** Runs tests of a package on PostgreSQL. The reporter leaves the report of the package's own run as it is. */
function runTests(
  folder: string,
  files: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ code: number | null; output: string }> {
  return new Promise((done) => {
    const child = execFile(
      process.execPath,
      [VITEST, "run", ...files, "--project=postgres", "--reporter=default", `--testNamePattern=${OTHERS}`],
      { cwd: join(root, folder), env: { ...process.env, ...env }, maxBuffer: 2 ** 26 },
      (_, stdout, stderr) => done({ code: child.exitCode, output: stdout + stderr }),
    );
  });
}
