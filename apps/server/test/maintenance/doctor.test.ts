import { once } from "node:events";
import { chmod, copyFile, readdir, rename, writeFile } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { version } from "@petstore/contract";
import Sqlite from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { pathOfFileUrl } from "../../src/config.ts";
import { migrate } from "../../src/database/migrations.ts";
import { examine, type Finding } from "../../src/maintenance/doctor.ts";
import { run } from "../program.ts";
import { startService } from "../service.ts";
import { opened, temporaryDisk, temporaryFolder, temporaryUrl } from "../temporary.ts";

const MIB = 2 ** 20;

async function examined(env: NodeJS.ProcessEnv): Promise<{ code: number; findings: Finding[]; wrong: Finding[] }> {
  const { code, stdout, stderr } = await run(["doctor", "--json"], { PORT: "1", ...env });
  expect(stderr).toBe("");
  const findings = JSON.parse(stdout) as Finding[];
  return { code, findings, wrong: findings.filter(({ remedy }) => remedy !== undefined) };
}

describe("petstore doctor", () => {
  test("finds nothing wrong before the first start, and makes nothing", async () => {
    const folder = await temporaryFolder();
    const { code, findings, wrong } = await examined({ DATABASE_URL: `file:${folder}/data/petstore.db` });
    expect({ code, wrong }).toEqual({ code: 0, wrong: [] });
    expect(findings.map(({ check }) => check)).toEqual(["settings", "versions", "service", "database", "disk"]);
    expect(await readdir(folder)).toEqual([]);
  });

  test("finds nothing wrong with a migrated database, in words", async () => {
    const env = { DATABASE_URL: `file:${await temporaryFolder()}/petstore.db` };
    await run(["migrate"], env);
    const { code, stdout } = await run(["doctor"], { PORT: "1", ...env });
    expect(code).toBe(0);
    const checks = ["settings", "versions", "service", "database", "migrations", "disk"];
    expect(stdout.match(/^ok +\w+/gm)?.map((line) => line.split(/ +/)[1])).toEqual(checks);
  });

  test("says which versions run, whether or not the settings are right", async () => {
    const found = [];
    for (const LOG_LEVEL of ["info", "x"]) {
      const { findings } = await examined({ LOG_LEVEL, DATABASE_URL: await temporaryUrl() });
      found.push(findings.filter(({ check }) => check === "versions"));
    }
    const versions = { check: "versions", found: `petstore ${version}, Node ${process.versions.node}` };
    expect(found).toEqual([[versions], [versions]]);
  });

  test("names each bad setting, and not its value", async () => {
    const { code, wrong } = await examined({ PORT: "hunter2", LOG_LEVEL: "x" });
    expect(code).toBe(1);
    expect(wrong.map(({ check, remedy }) => [check, remedy?.split(" ")[0]])).toEqual([
      ["settings", "PORT"],
      ["settings", "LOG_LEVEL"],
    ]);
    expect(JSON.stringify(wrong)).not.toContain("hunter2");
  });

  test("finds a file that is no database, and migrations that are missing or unknown", async () => {
    const folder = await temporaryFolder();
    const file = join(folder, "petstore.db");
    const env = { DATABASE_URL: `file:${file}` };
    await writeFile(file, "no database at all, and long enough to be looked at".repeat(100));
    expect(await examined(env)).toMatchObject({ code: 1, wrong: [{ check: "database" }] });

    const other = join(folder, "other.db");
    new Sqlite(other).exec("create table t (x)").close();
    await chmod(other, 0o600);
    const pending = await examined({ DATABASE_URL: `file:${other}` });
    expect(pending).toMatchObject({
      code: 1,
      wrong: [{ check: "migrations", found: expect.stringContaining("0001_create_tables") }],
    });

    await run(["migrate"], { DATABASE_URL: `file:${other}` });
    new Sqlite(other).exec("insert into kysely_migration values ('9999_later', '')").close();
    const newer = await examined({ DATABASE_URL: `file:${other}` });
    expect(newer.wrong).toMatchObject([{ found: "unknown to this program: 9999_later" }]);
  });

  const wrongIn = async (env: NodeJS.ProcessEnv): Promise<Finding[]> =>
    (await examine({ PORT: "1", ...env })).filter(({ remedy }) => remedy !== undefined);

  test("asks the service whether it is ready, and says so when the file was moved while it runs", async () => {
    await using service = await startService();
    const path = pathOfFileUrl(service.databaseUrl);
    const env = { DATABASE_URL: service.databaseUrl, PORT: new URL(service.baseUrl).port };
    await service.addPet();
    expect(await wrongIn(env)).toEqual([]);
    await rename(path, `${path}.moved`);
    const wrong = await wrongIn(env);
    expect(wrong).toMatchObject([
      {
        check: "service",
        found: expect.stringContaining("The database file or its log was moved, removed or replaced."),
      },
      { check: "database", found: expect.stringContaining("none at"), remedy: expect.stringContaining("Put it back") },
    ]);
    expect(wrong[0]!.remedy).toContain("put it back, or stop the service");
  });

  test.each<[string, RequestListener]>([
    ["at all", () => {}],
    ["to the end", (_request, response) => void response.writeHead(200).write("{")],
  ])("finds a service that does not answer %s", async (_, listener) => {
    const hanging = createServer(listener).listen(0, "127.0.0.1");
    await once(hanging, "listening");
    onTestFinished(() => void hanging.close());
    const PORT = String((hanging.address() as AddressInfo).port);
    expect(await wrongIn({ PORT, DATABASE_URL: await temporaryUrl() })).toEqual([
      {
        check: "service",
        found: `no answer from 127.0.0.1:${PORT}`,
        remedy: "Stop the service, and start it again.",
      },
    ]);
  });

  test("tells another program from the service, also on a port that browsers refuse", async () => {
    const other = createServer((_request, response) => void response.end("hello"));
    onTestFinished(() => void other.close());
    const PORT = String(await firstFree(other, [6665, 6666, 6667, 6668, 6669]));
    expect(await wrongIn({ PORT, DATABASE_URL: await temporaryUrl() })).toEqual([
      {
        check: "service",
        found: `another program at 127.0.0.1:${PORT}`,
        remedy: "End it, or set PORT to a free one.",
      },
    ]);
  });

  test("asks for room on a full disk, also where the database cannot be read for want of it", async (context) => {
    const folder = await temporaryDisk(context, 3 * MIB);
    const url = await temporaryUrl();
    await migrate(opened(url)); // which stays open, and so its log stays
    for (const suffix of ["", "-wal"])
      await copyFile(pathOfFileUrl(url) + suffix, join(folder, `petstore.db${suffix}`));
    await expect(writeFile(join(folder, "ballast"), Buffer.alloc(3 * MIB))).rejects.toThrow("ENOSPC");
    const wrong = await wrongIn({ DATABASE_URL: `file:${folder}/petstore.db` });
    expect(wrong.map(({ check, remedy }) => [check, remedy])).toEqual([
      ["database", "Make room: at least 101 MiB are needed."],
      ["disk", "Make room: at least 101 MiB are needed."],
    ]);
  });
});

/** Listens on the first of some ports that is free, and gives it. */
async function firstFree(server: Server, ports: number[]): Promise<number> {
  for (const port of ports) {
    const listening = once(server.listen(port, "127.0.0.1"), "listening").then(() => port);
    const bound = await listening.catch(() => undefined);
    if (bound !== undefined) return bound;
  }
  throw new Error(`None of the ports ${ports.join(", ")} is free.`);
}
