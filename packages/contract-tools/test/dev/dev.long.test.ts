import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { cloneInstalled, root } from "@platform/test-support/clone";
import { type Dev, startDev } from "@platform/test-support/dev";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BOOK_VISIT } from "./book-visit.ts";
import { startClients } from "./clients.ts";
import { started } from "./started.ts";

describe("the loop", () => {
  const CONTRACT = "openapi/openapi.yaml";
  const HANDLERS = "apps/server/src/resources/pets/pets.handlers.ts";
  const INDEX = "packages/contract/src/index.ts"; // most packages import it
  const TYPES = "packages/contract/src/generated/schema.ts";

  const clone = cloneInstalled();
  const { directory } = clone;
  let dev: Dev;
  let firstReport: string;

  /** All tests share one loop and run in order; each starts where the one before ended. */
  beforeAll(async () => {
    dev = startDev(directory);
    firstReport = await dev.report();
  });
  afterAll(async () => {
    await dev.interrupt();
    clone[Symbol.dispose]();
  });

  test("pnpm dev starts the service and checks everything", () => {
    expect(firstReport).toMatch(/started at http:.*\n.*no errors in \d+ packages.*Nothing to fix\.$/s);
  });

  describe("pnpm dev", () => {
    let contract: string;
    beforeAll(() => void (contract = read(CONTRACT)));

    test("replaces the service after edits of handlers without a refused connection or a failed request", async () => {
      const handlers = read(HANDLERS);
      const url = `${dev.address()}/pets/4711`;
      const headers = { Authorization: `Bearer ${read("data/quickstart.key").trim()}` };
      const clients = startClients(url, headers);
      const message = async (): Promise<string> =>
        ((await (await fetch(url, { headers })).json()) as { message: string }).message;
      for (const text of ["Nobody has seen it.", "It is gone.", "It was never there."]) {
        save(HANDLERS, handlers.replace("There is no animal with this id.", text));
        expect(await dev.reportOn(HANDLERS)).toMatch(/service +restarted at http:.*\n +typecheck +no errors/);
        expect(await message()).toBe(text);
      }
      for (let edit = 1; edit <= 20; edit++) {
        save(HANDLERS, handlers.replace("There is no animal with this id.", `Edit ${edit}.`));
        await setTimeout(100);
      }
      while ((await message()) !== "Edit 20.") await dev.reportOn(HANDLERS);
      for (const fault of ["const = 1;\n", 'throw new Error("not today");\n', "await new Promise(() => {});\n"]) {
        save(HANDLERS, fault + handlers);
        expect(await dev.reportOn(HANDLERS)).toMatch(
          /did not start.*; the previous code still runs at http:.*\n.*typecheck/,
        );
        expect(await message()).toBe("Edit 20.");
      }
      save(HANDLERS, handlers);
      expect(await dev.reportOn(HANDLERS)).toContain("restarted at");
      const { responses, failures } = await clients.stop();
      expect(failures).toEqual([]);
      expect(responses).toBeGreaterThan(500);
    });

    test("reports the breaking changes and type errors of a changed contract, and keeps the previous service running", async () => {
      save(CONTRACT, contract.replaceAll("categoryId", "kindId"));
      const report = await dev.reportOn(CONTRACT);
      expect(report).toMatch(
        /changes since the last commit: \d+ breaking.*types +wrote .*schema\.ts.*; on disk after \d+\.\d\d s/s,
      );
      expect(report).toMatch(/breaking +POST \/pets: .*kindId.*\(openapi\/openapi\.yaml:\d+\)/);
      expect(report).toMatch(/typecheck +\d+ errors with 1 cause in \d+ packages; after \d+\.\d\d s/);
      expect(report).toMatch(
        /service +apps\/server\/src\/resources\/pets\/pets\.repository\.ts:\d+:\d+ {2}.*'categoryId' does not exist/,
      );
      expect(report).toMatch(/handlers +and \d+ places in apps\/server\/src\/resources\/pets\/pets\.handlers\.ts/);
      expect(report).toContain(`still runs the previous code at ${dev.address()}`);
      expect(report).toMatch(/ and \d+ places in \d+ more files\n.*next +Fix the 1 cause above\. /s);
      expect(read(TYPES)).toContain("kindId");
      expect((await fetch(new URL("/healthz", dev.address()))).status).toBe(200);
    });

    test("reports the line and column of a YAML error, generates nothing, and keeps the previous service running", async () => {
      const before = read(TYPES);
      save(CONTRACT, contract.replace("operationId: getPet", 'operationId: "getPet'));
      const report = await dev.report();
      const lines = read(CONTRACT).split("\n");
      const line = lines.findIndex((text) => text.includes('"getPet'));
      expect(report).toContain(
        `openapi.yaml:${line + 1}:${lines[line]!.indexOf('"') + 1}  The text that begins here has no closing ". Add it.\n`,
      );
      expect(report).toContain(`still runs the previous code at ${dev.address()}`);
      expect(report).not.toContain("typecheck");
      expect(read(TYPES)).toBe(before);
      expect((await fetch(new URL("/healthz", dev.address()))).status).toBe(200);
    });

    test("reports a broken rule of style with its position, and goes on", async () => {
      save(CONTRACT, contract.replace(/^ +maxLength: 255\n/m, ""));
      const report = await dev.reportOn(CONTRACT);
      expect(report).toMatch(/openapi\.yaml:\d+:\d+ {2}Bound each string.*\(platform\/string-is-bounded\)/);
      expect(report).toMatch(/typecheck +no errors.*next .*which contract check rejects\.$/s);
    });

    test("reports a new operation, an error in a new folder, and the next step", async () => {
      save("packages/contract/src/prices/price.ts", "export const price: number = 'much';\n");
      save(INDEX, `${read(INDEX)}export * from "./prices/price.ts";\n`);
      const narrowed = contract.replace("maxLength: 255", "maxLength: 200"); // of Idempotency-Key
      save(CONTRACT, narrowed.replace("\ncomponents:\n", `${BOOK_VISIT}\ncomponents:\n`));
      const report = await dev.reportOn(CONTRACT);
      expect(report).toMatch(/changes since the last commit: 1 breaking, \d+ additive/);
      expect(report).toMatch(/typecheck +3 errors.*\n +handlers .*'bookVisit' is missing/);
      expect(report).toMatch(/other code +packages\/contract\/src\/prices\/price\.ts:1:14 {2}Type 'string'/);
      expect(report).toMatch(
        /next +Fix the 2 causes above\. .*To create a stub of the handler: .* scaffold bookVisit$/,
      );
    });

    test("reports only the other error after the scaffold of an operation with parameters and a body", async () => {
      await commanded("node packages/contract-tools/src/dev/scaffold.ts bookVisit");
      expect(await dev.report()).toMatch(/typecheck +1 error .*\n +other code +packages\/contract\/src\/prices/);
      const tested = await failed("cd apps/server && vitest run --project sqlite test/pets/book-visit");
      expect(tested).toContain("bookVisit is not implemented yet: expected 501 to be 201"); // not 400, because its request is valid
      await commanded("oxfmt --check apps/server/src/resources/pets apps/server/test/pets");
      expect(await failed("node packages/contract-tools/src/dev/scaffold.ts bookVisit")).toMatch(
        /already has a handler in .*Nothing was written/,
      );
      expect(await failed("node packages/contract-tools/src/dev/scaffold.ts bookVisits")).toMatch(
        /bookVisit.*Add a new one to/,
      );
    });

    test("reports a service that does not start, and leaves the previous one running", async () => {
      rmSync(join(directory, "packages/contract/src/prices"), { recursive: true });
      save(INDEX, read(INDEX).replace(/export .*prices.*\n/, ""));
      save(HANDLERS, `throw new Error("not today");\n${read(HANDLERS)}`);
      const report = await dev.reportOn(HANDLERS);
      expect(report).toMatch(
        /no errors .*\n +service +did not start.*\n +summary .*\n +next +Fix the error that keeps the service from/,
      );
      expect((await fetch(new URL("/healthz", dev.address()))).status).toBe(200);
    });

    test("reports a changed handler without the sections on the contract, and restarts the service with the new code", async () => {
      const handlers = read(HANDLERS).replace(/^throw .*\n/, "");
      save(HANDLERS, `${handlers}export const much: number = "much";\n`);
      expect(await dev.reportOn(HANDLERS)).toMatch(/typecheck +1 error .*\n +handlers .*Type 'string' is not/);
      save(HANDLERS, handlers.replace("There is no animal with this id.", "Nobody has seen it."));
      const report = await dev.reportOn(HANDLERS);
      expect(report).toMatch(/^\s*\d\d:\d\d:\d\d {2}apps\/server\/src\/resources\/pets\/pets\.handlers\.ts$/m);
      expect(report).not.toMatch(/^ {2}(contract|types)/m);
      expect(report).toMatch(/no errors in \d+ packages.*restarted at http:.*next +.* existing clients\./s);
      const key = read("data/quickstart.key").trim();
      const answer = await fetch(`${dev.address()}/pets/4711`, { headers: { Authorization: `Bearer ${key}` } });
      expect(await answer.json()).toMatchObject({ message: "Nobody has seen it." });
      const served = await fetch(new URL("/openapi.json", dev.address()));
      expect(await served.text()).toContain('"bookVisit"');
    });

    test("checks a file at the top of a package's folder too", async () => {
      const file = "packages/contract-tools/price.ts";
      save(file, "export const price: number = 'much';\n");
      expect(await dev.reportOn(file)).toMatch(
        /typecheck +1 error .*\n +other code +packages\/contract-tools\/price\.ts:1:14 /,
      );
    });

    test("exits with 0 and stops the service on Ctrl+C", async () => {
      expect(await dev.interrupt()).toBe(0);
      await expect(fetch(new URL("/healthz", dev.address()))).rejects.toThrow("fetch failed");
    });
  });

  test("the service ends if its parent process is killed by `kill -9`", async () => {
    const code = `
    import { Service } from ${JSON.stringify(join(root, "packages/contract-tools/src/dev/service.ts"))};
    console.log(await new Service(${JSON.stringify(root)}, console.log).restart());`;
    const env = { ...process.env, PORT: "0", DATABASE_URL: `file:${directory}/data/killed.db`, LOG_LEVEL: "silent" };
    const runner = spawn(process.execPath, ["--input-type=module", "--eval", code], {
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = (await once(runner.stdout, "data")) as [Buffer];
    const health = new URL("/healthz", line.toString().trim());
    expect((await fetch(health)).status).toBe(200);
    runner.kill("SIGKILL");
    const isServed = () =>
      fetch(health).then(
        ({ ok }) => ok,
        () => false,
      );
    await expect.poll(isServed).toBe(false);
  });

  function read(file: string): string {
    return readFileSync(join(directory, file), "utf8");
  }

  /** Saves a file with an old modification time, like a file moved from elsewhere. Its changed content must count. */
  function save(file: string, text: string): void {
    const path = join(directory, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    utimesSync(path, 0, 0);
  }

  /** Runs a command and resolves with its output; rejects with the output if it fails. */
  async function commanded(command: string): Promise<string> {
    const env = {
      ...process.env,
      PATH: join(directory, "node_modules/.bin") + delimiter + process.env["PATH"],
      NO_COLOR: "1",
    };
    const options = { cwd: directory, env, maxBuffer: 2 ** 26 };
    return promisify(execFile)("bash", ["-c", command], options).then(
      ({ stdout, stderr }) => stdout + stderr,
      ({ stdout, stderr }: { stdout: string; stderr: string }) => Promise.reject(new Error(`${stdout}${stderr}`)),
    );
  }

  /** Runs a command that must fail, and resolves with its output. */
  async function failed(command: string): Promise<string> {
    return commanded(command).then(
      (output) => Promise.reject(new Error(`This should have failed: ${command}\n${output}`)),
      ({ message }: Error) => message,
    );
  }
});

describe("a service that does not end", () => {
  test("a stopped service is killed if it has not ended after five seconds", async () => {
    const { service, pid } = await started("process.exit = () => {};");
    const began = performance.now();
    await service.stop();
    expect(performance.now() - began).toBeGreaterThanOrEqual(4_990);
    expect(() => process.kill(pid(), 0)).toThrow("ESRCH");
  });
});
