import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { open, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { relative, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { scopes } from "@petstore/contract";
import { pathOfFileUrl } from "@openapi-operations/storage/url";
import { temporaryUrl } from "@openapi-operations/storage/testing";
import { freePort } from "@platform/test-support/machine";
import { temporaryFolder } from "@platform/test-support/temporary";
import Sqlite from "better-sqlite3";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { MIGRATIONS } from "../src/migrations.ts";
import { ENTRY, run, startProgram } from "./program.ts";

describe("petstore migrate", () => {
  test("prints the migrations that it applied", async () => {
    const DATABASE_URL = await temporaryUrl();
    expect(await run(["migrate"], { DATABASE_URL })).toEqual({
      code: 0,
      stdout: `Applied ${Object.keys(MIGRATIONS).join(", ")}.\n`,
      stderr: "",
    });
    expect(await run(["migrate"], { DATABASE_URL })).toEqual({
      code: 0,
      stdout: "The database is up to date.\n",
      stderr: "",
    });
  });
});

const UNKNOWN_SCOPE = new RegExp(`Give some of ${scopes.join(",")}, `);

describe("an invalid command line exits with 2 and names the usage", () => {
  test.each([
    ["an unknown command", ["serv"], /^error: unknown command 'serv'\n/],
    ["no name", ["keys", "create"], /^error: required option '--name <name>' not specified\n/],
    ["an unknown scope", ["keys", "create", "--name", "ci", "--scopes", "pets:read,pets:eat"], UNKNOWN_SCOPE],
  ])("%s", async (_, words, message) => {
    const { code, stdout, stderr } = await run(words, { DATABASE_URL: "file:/dev/null/petstore.db" });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/\nAdd --help to see the usage\.\n$/);
  });
});

describe("an expected failure exits with 1 and no stack trace", () => {
  test("an invalid setting", async () => {
    const { code, stdout, stderr } = await run(["serve"], {
      PORT: "x",
      DATABASE_URL: "postgres://root:hunter2@localhost",
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr.trimEnd().split("\n")).toEqual([
      expect.stringMatching(/^PORT /),
      expect.stringMatching(/^DATABASE_URL must be/),
    ]);
    expect(stderr).not.toContain("hunter2");
  });

  test("a database that cannot be opened", async () => {
    const { code, stderr } = await run(["keys", "list"], { DATABASE_URL: `file:${ENTRY}` });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The database file .*service\.js cannot be opened .*\n$/);
  });

  test.each([
    ["in the URL", { DATABASE_URL: "postgres://127.0.0.1/petstore?port=99999" }],
    ["in PGPORT", { DATABASE_URL: "postgres://127.0.0.1/petstore", PGPORT: "99999" }],
  ])("an invalid port of PostgreSQL, %s", async (_, env) => {
    const { code, stdout, stderr } = await run(["migrate"], env);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^The PostgreSQL database cannot be used \(.*99999.*\n$/);
  });

  test("a database copied to itself", async () => {
    const url = await temporaryUrl();
    await run(["migrate"], { DATABASE_URL: url });
    const same = `file:${relative(process.cwd(), pathOfFileUrl(url))}`;
    expect(await run(["copy", "--from", url, "--to", same], {})).toEqual({
      code: 2,
      stdout: "",
      stderr: "error: options '--from' and '--to' name the same database.\nAdd --help to see the usage.\n",
    });
  });

  test.each([
    ["one process", "1"],
    ["two processes", "2"],
  ])("an address in use, by %s", async (_, WEB_CONCURRENCY) => {
    const taken = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void taken.close());
    await once(taken, "listening");
    const PORT = String((taken.address() as AddressInfo).port);
    const { code, stderr } = await run(["serve"], { PORT, WEB_CONCURRENCY, DATABASE_URL: await temporaryUrl() });
    expect(code).toBe(1);
    expect(stderr.split("\n")[0]).toBe(
      `Cannot listen on 127.0.0.1:${PORT}: the address is already in use. Set HOST and PORT to a free address.`,
    );
    expect(stderr).not.toContain("    at ");
  });

  test("a Node that cannot run TypeScript, such as a version before 22.18", async () => {
    const source = resolve(import.meta.dirname, "../bin/service.js");
    const { code, stdout, stderr } = await run(["keys", "list"], { NODE_OPTIONS: "--no-strip-types" }, source);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(
      /^Node .* cannot run this service.*`npx -y pnpm@12\.21\.0 petstore …`, which brings its own Node\.\n$/,
    );
  });
});

test("an unexpected failure exits with 1 and its stack trace", async () => {
  const DATABASE_URL = await temporaryUrl();
  await run(["migrate"], { DATABASE_URL });
  const db = new Sqlite(pathOfFileUrl(DATABASE_URL));
  db.exec("drop table api_keys");
  db.close();
  const { code, stdout, stderr } = await run(["keys", "list"], { DATABASE_URL });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^SqliteError: no such table: api_keys\n {4}at /);
});

test("petstore without a command serves nothing, shows its usage and exits with 2", async () => {
  const { code, stdout, stderr } = await run([], {});
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(/^error: missing command of 'petstore'\n\nUsage: petstore .*\n.* serve +run the service\n/s);
});

test("petstore --help names the commands", async () => {
  const { code, stdout } = await run(["--help"], {});
  expect(code).toBe(0);
  for (const command of ["serve", "migrate", "copy", "keys"]) expect(stdout).toContain(command);
});

test("petstore exits with 0 if the reader closes its output early", async () => {
  const child = spawn(process.execPath, [ENTRY, "--help"], { env: {}, stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.destroy();
  expect(await text(child.stderr)).toBe("");
  expect(child.exitCode ?? (await once(child, "exit"))[0]).toBe(0);
});

describe("output that cannot be written, as to a full disk", () => {
  const printingTo = async (words: string[], env: NodeJS.ProcessEnv = {}): Promise<ChildProcess> => {
    const full = await open("/dev/full", "w");
    const child = spawn(process.execPath, [ENTRY, ...words], { env, stdio: ["ignore", full.fd, "pipe"] });
    onTestFinished(async () => {
      child.kill("SIGKILL");
      await full.close();
    });
    return child;
  };
  const LOST = "Standard output cannot be written; its content is lost (ENOSPC: no space left on device, write).\n";
  beforeEach(({ skip }) => skip(!existsSync("/dev/full"), "there is no /dev/full"));

  test("fails a command", async () => {
    const child = await printingTo(["--help"]);
    expect(await text(child.stderr!)).toBe(LOST);
    expect(child.exitCode ?? (await once(child, "exit"))[0]).toBe(1);
  });

  test("is reported once by the service, which keeps responding and ends at SIGTERM", async () => {
    const [folder, PORT] = [await temporaryFolder(), String(await freePort())];
    const DATABASE_URL = `file:${folder}/petstore.db`;
    const child = await printingTo(["serve"], { PORT, DATABASE_URL, SHUTDOWN_DELAY: "0" });
    const said = text(child.stderr!);
    const ask = () => fetch(`http://127.0.0.1:${PORT}/healthz`).then(({ status }) => status);
    await expect.poll(() => ask().catch(() => undefined)).toBe(200);
    for (let count = 0; count < 5; count++) expect(await ask()).toBe(200);
    child.kill("SIGTERM");
    expect((await once(child, "exit"))[0]).toBe(0);
    expect(await said).toBe(LOST);
  });
});

test("the bundled program rejects a query that is not valid percent-encoding", async () => {
  const { baseUrl, key } = await startProgram(await temporaryFolder());
  const response = await fetch(`${baseUrl}/pets?status=%`, { headers: { Authorization: `Bearer ${key}` } });
  expect([response.status, await response.json()]).toEqual([
    400,
    expect.objectContaining({ message: expect.stringContaining("not valid percent-encoding") }),
  ]);
});

test("a data folder that cannot be created is reported with its setting", async () => {
  const folder = await temporaryFolder();
  await writeFile(`${folder}/data`, "");
  const { code, stdout, stderr } = await run(["serve"], { DATABASE_URL: `file:${folder}/data/petstore.db` });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(
    /^The database file .*data[/\\]petstore\.db cannot be opened .* set DATABASE_URL to another file\.\n$/,
  );
});
