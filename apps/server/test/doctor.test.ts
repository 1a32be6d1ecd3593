import { once } from "node:events";
import { chmod, copyFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { version } from "@petstore/contract";
import { migrate } from "@openapi-operations/storage/migrations";
import { pathOfFileUrl } from "@openapi-operations/storage/url";
import { temporaryDisk, temporaryFolder } from "@platform/test-support/temporary";
import { isPosix, needsPosix } from "@platform/test-support/machine";
import Sqlite from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { examine, type Check } from "@openapi-operations/api-keys/doctor";
import { temporaryUrl } from "@openapi-operations/storage/testing";
import { DEFINITION } from "../src/definition.ts";
import { MIGRATIONS } from "../src/migrations.ts";
import { startService } from "./petstore.ts";
import { run } from "./program.ts";
import { opened } from "./temporary.ts";

const MIB = 2 ** 20;
const WATCH_BACKUPS = "Make sure that `petstore backup --every` is running, and read its output.";

async function examined(env: NodeJS.ProcessEnv): Promise<{ code: number; findings: Check[]; wrong: Check[] }> {
  const { code, stdout, stderr } = await run(["doctor", "--json"], { PORT: "1", ...env });
  expect(stderr).toBe("");
  const findings = JSON.parse(stdout) as Check[];
  return { code, findings, wrong: findings.filter(({ remedy }) => remedy !== undefined) };
}

describe("petstore doctor", () => {
  test("reports no problem before the first start, and creates no file", async () => {
    const folder = await temporaryFolder();
    const { code, findings, wrong } = await examined({ DATABASE_URL: `file:${folder}/data/petstore.db` });
    expect({ code, wrong }).toEqual({ code: 0, wrong: [] });
    expect(findings.map(({ check }) => check)).toEqual(["settings", "versions", "service", "database", "disk"]);
    expect(await readdir(folder)).toEqual([]);
  });

  test("verifies the newest dated backup if BACKUP_FOLDER is set, and reports its age", async () => {
    const folder = await temporaryFolder();
    const env = { DATABASE_URL: `file:${folder}/petstore.db`, BACKUP_FOLDER: join(folder, "backups") };
    expect((await run(["migrate"], env)).code).toBe(0);
    const missing = await wrongIn(env);
    expect(missing).toEqual([{ check: "backups", found: expect.stringContaining("ENOENT"), remedy: WATCH_BACKUPS }]);
    const { stdout } = await run(["backup", "--keep", "2"], env);
    expect(stdout).toMatch(/^\S+Z \S+[/\\]backups[/\\]petstore\.\S+\.db is verified: no rows\.\n$/);
    const { findings, wrong } = await examined(env);
    expect(wrong).toEqual([]);
    expect(findings.at(-1)).toEqual({ check: "backups", found: expect.stringMatching(/ is intact and 0 min old$/) });
    const [, made] = /Z (\S+) is verified/.exec(stdout)!;
    await rename(made!, join(env.BACKUP_FOLDER, "petstore.2020-01-01T000000.000Z.db"));
    const old = { check: "backups", found: expect.stringMatching(/ is intact and \d+ h old$/), remedy: WATCH_BACKUPS };
    expect(await wrongIn(env)).toEqual([old]);
    expect(await wrongIn({ ...env, BACKUP_MAX_AGE: "9999w" })).toEqual([]);
    const checks = await examine(DEFINITION, { ...env, PORT: "1", SQLITE_CHECKPOINTS: "external" });
    expect(checks.slice(-2).map(({ check }) => check)).toEqual(["log", "backups"]);
  });

  test("prints ok for each check of a migrated database", async () => {
    const env = { DATABASE_URL: `file:${await temporaryFolder()}/petstore.db` };
    await run(["migrate"], env);
    const { code, stdout } = await run(["doctor"], { PORT: "1", ...env });
    expect(code).toBe(0);
    const checks = ["settings", "versions", "service", "database", "migrations", "disk"];
    expect(stdout.match(/^ok +\w+/gm)?.map((line) => line.split(/ +/)[1])).toEqual(checks);
  });

  test("says what several processes on SQLite are for", async () => {
    const env = { DATABASE_URL: `file:${await temporaryFolder()}/petstore.db`, WEB_CONCURRENCY: "2" };
    const { code, stdout } = await run(["doctor"], { PORT: "1", ...env });
    expect(code).toBe(0);
    expect(stdout).toContain("ok     processes   2, for reads and availability: on SQLite one writes at a time\n");
  });

  test("prints the remedy of a wrong check below it", async () => {
    const { code, stdout, stderr } = await run(["doctor"], { PORT: "hunter2", DATABASE_URL: await temporaryUrl() });
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
    expect(stdout.split("\n")).toEqual([
      "wrong  settings    wrong",
      expect.stringMatching(/^ {7}PORT must be /),
      `ok     versions    petstore ${version}, Node ${process.versions.node}`,
      "",
    ]);
  });

  test("reports the versions, with valid and with invalid settings", async () => {
    const found = [];
    for (const LOG_LEVEL of ["info", "x"]) {
      const { findings } = await examined({ LOG_LEVEL, DATABASE_URL: await temporaryUrl() });
      found.push(findings.filter(({ check }) => check === "versions"));
    }
    const versions = { check: "versions", found: `petstore ${version}, Node ${process.versions.node}` };
    expect(found).toEqual([[versions], [versions]]);
  });

  test("names each invalid setting without its value", async () => {
    const { code, wrong } = await examined({ PORT: "hunter2", LOG_LEVEL: "x" });
    expect(code).toBe(1);
    expect(wrong.map(({ check, found, remedy }) => [check, found, remedy?.split(" ")[0]])).toEqual([
      ["settings", "wrong", "PORT"],
      ["settings", "wrong", "LOG_LEVEL"],
    ]);
    expect(JSON.stringify(wrong)).not.toContain("hunter2");
  });

  const wrongIn = async (env: NodeJS.ProcessEnv): Promise<Check[]> =>
    (await examine(DEFINITION, { PORT: "1", ...env })).filter(({ remedy }) => remedy !== undefined);

  test("reports each finding in one line", async () => {
    const folder = await temporaryFolder();
    const path = join(folder, "petstore.db");
    const env = { PORT: "1", DATABASE_URL: `file:${path}`, PETSTORE_ENV: "staging" };
    const found = async () =>
      (await examine(DEFINITION, env)).map((finding) => [finding.check, finding.found, finding.remedy]);
    const known = [
      ["settings", "staging, to listen on 127.0.0.1:1", undefined],
      ["versions", `petstore ${version}, Node ${process.versions.node}`, undefined],
      ["service", "not running at 127.0.0.1:1", undefined],
    ];
    const disk = ["disk", expect.stringMatching(new RegExp(`^\\d+ MiB free at .*${basename(folder)}$`)), undefined];
    expect(await found()).toEqual([...known, ["database", `none yet at ${path}`, undefined], disk]);

    await migrate(opened(env.DATABASE_URL), MIGRATIONS);
    const intact = expect.stringMatching(/petstore\.db is intact, SQLite 3[.\d]+$/) as string;
    const migrations = ["migrations", "all applied", undefined];
    expect(await found()).toEqual([...known, ["database", intact, undefined], migrations, disk]);

    if (!isPosix) return; // Windows has no file modes
    await chmod(path, 0o640);
    const shared = expect.stringMatching(
      / is intact, SQLite 3[.\d]+, but users other than its owner may read it$/,
    ) as string;
    expect(await found()).toEqual([...known, ["database", shared, `Run: chmod 600 ${path}`], migrations, disk]);
  });

  test("prints an IPv6 address in brackets", async () => {
    const findings = await examine(DEFINITION, { HOST: "::1", PORT: "1", DATABASE_URL: await temporaryUrl() });
    expect(findings[0]?.found).toBe("development, to listen on ::1:1");
    expect(findings.find(({ check }) => check === "service")?.found).toContain(" [::1]:1");
  });

  test("reports the remedy for pending and unknown migrations, for a file that is not a database, and for a missing file", async () => {
    const folder = await temporaryFolder();
    const path = join(folder, "petstore.db");
    const env = { DATABASE_URL: `file:${path}` };
    const damaged =
      "Make sure that this user may read and write it; if it is damaged, stop the service and run `petstore restore <backup>`.";
    await writeFile(path, "no database at all, and long enough to be looked at".repeat(100), { mode: 0o600 });
    const unusable = { check: "database", found: `${path} cannot be used (file is not a database)`, remedy: damaged };
    expect(await wrongIn(env)).toEqual([unusable]);

    await rm(path);
    const file = new Sqlite(path);
    await chmod(path, 0o600);
    const all = Object.keys(MIGRATIONS).join(", ");
    expect(await wrongIn(env)).toMatchObject([{ check: "migrations", found: `to be applied: ${all}` }]);
    file.exec("create table kysely_migration (name text); insert into kysely_migration values ('0001_create_tables')");
    const pending = `to be applied: ${Object.keys(MIGRATIONS).slice(1).join(", ")}`;
    const migrating = "Run `petstore migrate`, or start the service, which does the same.";
    expect(await wrongIn(env)).toEqual([{ check: "migrations", found: pending, remedy: migrating }]);
    file.exec("insert into kysely_migration values ('9998_later'), ('9999_later')").close();
    const unknown = "unknown to this program: 9998_later, 9999_later";
    const lacking = Object.keys(MIGRATIONS).slice(1).join(", ");
    const remedy = `It lacks ${lacking}, which this program has. Run a version with all of these migrations.`;
    expect(await wrongIn(env)).toEqual([{ check: "migrations", found: unknown, remedy }]);

    await rm(path);
    await writeFile(`${path}-wal`, "");
    expect(await wrongIn(env)).toEqual([
      {
        check: "database",
        found: `none at ${path}, though its log is there: it was moved or removed`,
        remedy: "Put it back; if it is lost, stop the service and run `petstore restore <backup>`.",
      },
    ]);
  });

  test("checks whether the service is ready, and reports a file that was moved while the service runs", async (context) => {
    needsPosix(context, "way to rename an open database");
    await using service = await startService();
    const path = pathOfFileUrl(service.databaseUrl);
    const env = { DATABASE_URL: service.databaseUrl, PORT: new URL(service.baseUrl).port };
    await service.addPet();
    expect(await wrongIn(env)).toEqual([]);
    expect(await examine(DEFINITION, env)).toContainEqual({
      check: "service",
      found: `ready at 127.0.0.1:${env.PORT}`,
    });
    await rename(path, `${path}.moved`);
    const wrong = await wrongIn(env);
    expect(wrong).toMatchObject([
      {
        check: "service",
        found: expect.stringContaining("The database file or its log was moved, removed or replaced."),
      },
      { check: "database", found: expect.stringContaining("none at"), remedy: expect.stringContaining("Put it back") },
    ]);
    expect(wrong[0]!.remedy).toContain("restore it, or restart the service");
  });

  test("reports a service that sends no response or an incomplete one", async () => {
    const listeners: RequestListener[] = [() => {}, (_request, response) => void response.writeHead(200).write("{")];
    const findings = listeners.map(async (listener) => {
      const hanging = createServer(listener).listen(0, "127.0.0.1");
      onTestFinished(() => void hanging.close());
      await once(hanging, "listening");
      const PORT = String((hanging.address() as AddressInfo).port);
      expect(await wrongIn({ PORT, DATABASE_URL: await temporaryUrl() })).toEqual([
        {
          check: "service",
          found: `no response from 127.0.0.1:${PORT}`,
          remedy: "Restart the service.",
        },
      ]);
    });
    await Promise.all(findings);
  });

  test("distinguishes another program from the service, also on a port that browsers block", async () => {
    const other = createServer((_request, response) => void response.end("hello"));
    onTestFinished(() => void other.close());
    const PORT = String(await firstFree(other, [6665, 6666, 6667, 6668, 6669]));
    expect(await wrongIn({ PORT, DATABASE_URL: await temporaryUrl() })).toEqual([
      {
        check: "service",
        found: `another program at 127.0.0.1:${PORT}`,
        remedy: "Stop that program, or set PORT to a free port.",
      },
    ]);
  });

  test("asks for room on a full disk, also if the database cannot be read for lack of room", async (context) => {
    const folder = await temporaryDisk(context, 3 * MIB);
    const url = await temporaryUrl();
    await migrate(opened(url), MIGRATIONS); // the connection stays open, and so the log remains
    for (const suffix of ["", "-wal"])
      await copyFile(pathOfFileUrl(url) + suffix, join(folder, `petstore.db${suffix}`));
    await expect(writeFile(join(folder, "ballast"), Buffer.alloc(3 * MIB))).rejects.toThrow("ENOSPC");
    const wrong = await wrongIn({ DATABASE_URL: `file:${folder}/petstore.db` });
    expect(wrong.map(({ check, remedy }) => [check, remedy])).toEqual([
      ["database", "Free some space: at least 101 MiB are needed."],
      ["disk", "Free some space: at least 101 MiB are needed."],
    ]);
  });
});

/** Listens on the first free port of the list and returns it. */
async function firstFree(server: Server, ports: number[]): Promise<number> {
  for (const port of ports) {
    const listening = once(server.listen(port, "127.0.0.1"), "listening").then(() => port);
    const bound = await listening.catch(() => undefined);
    if (bound !== undefined) return bound;
  }
  throw new Error(`None of the ports ${ports.join(", ")} is free.`);
}
