import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { startDev } from "@platform/test-support/dev";
import { rootRuntime, startReady } from "@platform/test-support/image";
import { needsTool } from "@platform/test-support/machine";
import { pnpmPath } from "@platform/test-support/pnpm";
import { postgresUnavailable, rowsOf, startPostgres } from "@platform/test-support/postgres";
import { startProgram } from "@platform/test-support/program";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { openWorkshop, type Workshop } from "./museum.ts";

let workshop: Workshop;
beforeAll(() => void (workshop = openWorkshop()));
afterAll(() => workshop[Symbol.dispose]());

describe("a service from a contract of ten operations", { timeout: 120_000 }, () => {
  let printed: string;
  const pnpm = (...words: string[]) => workshop.run("museum", "pnpm", ...words);
  const path = (file: string) => join(workshop.folder, "museum", file);
  const read = (file: string) => readFileSync(path(file), "utf8");
  const write = (file: string, text: string) => {
    mkdirSync(dirname(path(file)), { recursive: true });
    writeFileSync(path(file), text);
  };
  const start = (words: string[], settings: Record<string, string> = {}) =>
    startProgram([pnpmPath(), ...words], { cwd: path("."), env: { ...workshop.env, PORT: "0", ...settings } });
  const events = async (baseUrl: string, key: string): Promise<unknown> =>
    (await fetch(`${baseUrl}/events`, { headers: { "X-Key": key } })).json();
  const createEvent = async (baseUrl: string, key: string) => {
    const headers = { "X-Key": key, "Content-Type": "application/json" };
    const body = '{"name":"Opening"}';
    expect((await fetch(`${baseUrl}/events`, { method: "POST", headers, body })).status).toBe(201);
    expect(await events(baseUrl, key)).toEqual([{ id: 1, name: "Opening" }]);
  };
  beforeAll(() => void (printed = workshop.create("museum", "--contract", "museum.json")), 300_000);

  test("the last screen names what was created, and the next three commands", () => {
    expect(printed).toContain("Museum 1.0.0: 10 operations in museum\n");
    expect(printed).toContain("  cd museum ");
    expect(printed).toContain("  npx -y pnpm@12.21.0 start ");
    expect(printed).toContain("  npx -y pnpm@12.21.0 dev ");
    expect(printed).not.toContain("failed");
  });

  test("has at most 60 files and 1,500 lines that are not generated, and is committed", () => {
    const files = workshop.run("museum", "git", "ls-files").trim().split("\n");
    const own = files.filter(
      (file) => !/\/generated\/|^vendor\/|^pnpm-lock\.yaml$|^openapi\/openapi\.yaml$/.test(file),
    );
    const lines = own.reduce((sum, file) => sum + read(file).split("\n").length - 1, 0);
    console.log(`${own.length} files, ${lines} lines`);
    expect(own.length).toBeLessThanOrEqual(60);
    expect(lines).toBeLessThanOrEqual(1_500);
    expect(workshop.run("museum", "git", "status", "--porcelain")).toBe("");
  });

  test("has no word of pets", () => {
    const files = workshop.run("museum", "git", "ls-files").trim().split("\n");
    const named = files.filter(
      (file) => !/^vendor\/|^pnpm-lock/.test(file) && /\bpets?\b|petstore|animal/i.test(read(file)),
    );
    expect(named).toEqual([]);
  });

  test("its README has a title of its own, the first request, and no place left open", () => {
    const readme = read("README.md");
    expect(readme).toMatch(/^# Museum\n/);
    expect(readme).toMatch(/^curl -i .*http:\/\/127\.0\.0\.1:3000\/api\/v1/m);
    expect(readme).not.toMatch(/\{\{|undefined|<!--/);
  });

  test("its own `test` passes, and each operation is a stub", () => {
    const output = pnpm("test");
    expect(output).toMatch(/Tasks: +7 successful, 7 total/);
    expect(output).toMatch(/Tests .*11 skipped/);
    expect(workshop.run("museum", "git", "status", "--porcelain")).toBe("");
  });

  test("its contract may be merged and released, and has not changed since it was created", () => {
    expect(pnpm("contract", "check")).toContain("compatibility: nothing is released yet");
    expect(pnpm("contract", "diff", "HEAD")).toContain("The contract has not changed.");
    expect(pnpm("contract", "release")).toContain("Released as openapi/released/1.0.0.yaml.");
    expect(pnpm("contract", "diff")).toContain("The contract has not changed.");
    rmSync(path("openapi/released"), { recursive: true });
  });

  test("serves stubs to its keys and its tokens, and its examples through the mock", async () => {
    const service = await start(["start"]);
    const key = read("data/quickstart.key").trim();
    const token = pnpm("--silent", "museum", "token").trim();
    const statuses = await Promise.all(
      [{ "X-Key": key }, { Authorization: `Bearer ${token}` }, { "X-Key": "other" }].map(
        async (headers) =>
          (await fetch(`${service.baseUrl}/events`, { headers: headers as Record<string, string> })).status,
      ),
    );
    expect(statuses).toEqual([501, 501, 401]);
    const feed = await fetch(new URL("/docs/changelog.atom", service.baseUrl)); // of the release above
    expect(await feed.text()).toContain(" 1.0.0</title>");
    await service.stop("SIGINT");
    const mock = await start(["mock", "--port", "0"]);
    const created = await fetch(`${mock.baseUrl}/events`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Key": "any" },
      body: '{"name":"Opening"}',
    });
    expect([created.status, await created.json()]).toEqual([201, expect.objectContaining({ name: "Opening" })]);
    await mock.stop("SIGINT");
  });

  test("a handler that reads path, query, body and database compiles before there is a table", () => {
    const file = "apps/server/src/resources/special-events/special-events.handlers.ts";
    const before = read(file);
    write(
      file,
      before
        .replace(
          "listEvents: stub(),",
          'listEvents: async ({ query, context }) => {\n    await context.db.selectFrom("api_keys").select("id").execute();\n    return { status: 200, body: [{ id: 1, name: query.named ?? "" }] };\n  },',
        )
        .replace(
          "updateEvent: stub(),",
          "updateEvent: async ({ path, body, caller }) => ({ status: 200, body: { id: path.eventId, name: `${body.name} by ${caller.name}` } }),",
        ),
    );
    expect(read(file)).not.toBe(before);
    pnpm("exec", "turbo", "run", "typecheck");
    write(file, before);
  });

  test("the README's steps store the first resource, and the service answers from its database", async () => {
    const blocks = Array.from(
      read("README.md").matchAll(/^```ts (\S+)\n([^]*?)^```$/gm),
      ([, file, code]) => [file!, code!] as const,
    );
    expect(blocks.map(([file]) => file)).toEqual(
      ["table", "index"].map(
        (name) => `apps/server/src/resources/special-events/${name === "index" ? "index" : "special-events.table"}.ts`,
      ),
    );
    for (const [file, code] of blocks) write(file, code);
    const handlers = "apps/server/src/resources/special-events/special-events.handlers.ts";
    const [, example = ""] = /^```ts\n(async createSomething[^]*?)^```$/m.exec(read("README.md"))!;
    const named = example.replace("createSomething", "createEvent").replace("listSomething", "listEvents");
    write(
      handlers,
      read(handlers)
        .replace("  listEvents: stub(),\n", "")
        .replace("  createEvent: stub(),\n", named)
        .replace(
          'from "../context.ts";',
          'from "../context.ts";\nimport type { Tables } from "./special-events.table.ts";',
        )
        .replace("Context>;", "Context<Tables>>;"),
    );
    expect(pnpm("test")).toMatch(/Tasks: +7 successful, 7 total/);
    const service = await start(["start"]);
    await createEvent(service.baseUrl, read("data/quickstart.key").trim());
    await service.stop("SIGINT");
    pnpm("museum", "backup", "data/copy.db");
    expect(existsSync(path("data/copy.db"))).toBe(true);
  });

  test("runs on PostgreSQL with nothing but DATABASE_URL, and its commands use the same database", async (context) => {
    needsTool(context, await postgresUnavailable());
    await using server = await startPostgres();
    const service = await start(["start"], { DATABASE_URL: server.url });
    const [, keyFile = ""] = /\$\(cat (\S+)\)/.exec(service.output())!;
    await createEvent(service.baseUrl, read(keyFile).trim());
    expect(await rowsOf(server.url, "select data from special_events")).toEqual([{ data: '{"name":"Opening"}' }]);
    const words = ["--silent", "museum", "keys", "create", "--name", "shop", "--expires-in", "90d", "--json"];
    const created = workshop.run("museum", "env", `DATABASE_URL=${server.url}`, "pnpm", ...words);
    const { key } = JSON.parse(created) as { key: string };
    expect(await events(service.baseUrl, key)).toEqual([{ id: 1, name: "Opening" }]);
    await service.stop("SIGINT");
  });

  test("dev reports an edit of the contract and the missing handler, and serves an edit of a handler", async () => {
    const contract = "openapi/openapi.yaml";
    const handlers = "apps/server/src/resources/artists/artists.handlers.ts";
    const dev = startDev(path("."), [pnpmPath(), "dev"], workshop.env);
    onTestFinished(async () => void (await dev.interrupt()));
    expect(await dev.report()).toMatch(/service +started at http:.*next +Write the handler \w+ in apps/s);
    write(
      contract,
      read(contract)
        .replace(
          "paths:\n",
          'paths:\n  /artists:\n    get:\n      operationId: listArtists\n      tags: [Artists]\n      responses:\n        "200": { description: All., content: { application/json: { schema: { type: array, items: { type: string } } } } }\n',
        )
        .replace(/( {4}NewEvent:\n[^]*?name:\n( +)type: string\n)/, "$1$2maxLength: 20\n"),
    );
    const report = await dev.reportOn(contract);
    expect(report).toMatch(/contract +4 changes since the last commit: 3 breaking, 1 additive/);
    expect(report).toMatch(/breaking +POST \/events: .*"name": `maxLength` 20 is added\./);
    expect(report).toMatch(/additive +GET \/artists: The operation is added\./);
    expect(report).toMatch(/types +wrote openapi\.json, schema\.ts, .*, \d+ files of packages\/client;/);
    expect(report).toMatch(/registrations\.ts:\d+:\d+ {2}Property 'listArtists' is missing/);
    expect(report).toMatch(/next .*To create a stub of the handler: npx -y pnpm@12\.21\.0 scaffold listArtists$/);
    pnpm("scaffold", "listArtists");
    while (!/service +restarted at/.test(await dev.report())); // once all files of the stub are there
    const artists = () => fetch(`${dev.address()}/artists`);
    expect((await artists()).status).toBe(501);
    const written = read(handlers).replace("stub(),", 'async () => ({ status: 200, body: ["Ada"] }),');
    write(handlers, written.replace(/^import \{ stub \}.*\n/m, ""));
    expect(await dev.reportOn(handlers)).toMatch(/service +restarted at/);
    expect(await (await artists()).json()).toEqual(["Ada"]);
    expect(await dev.interrupt()).toBe(0);
    pnpm("exec", "turbo", "run", "typecheck", "generate:check");
  });

  test("build writes a service that runs without the packages", async () => {
    pnpm("build");
    const program = await startProgram([process.execPath, path("apps/server/dist/bin/service.js"), "serve"], {
      cwd: workshop.folder,
      env: { ...workshop.env, PORT: "0" },
    });
    expect((await fetch(new URL("/openapi.json", program.baseUrl))).status).toBe(200);
    await program.stop("SIGINT");
  });

  test("its image serves with a key of its own command line, and keeps its data in the volume", async (context) => {
    const runtime = rootRuntime(path("."), workshop.env);
    if (typeof runtime === "string") return context.skip(runtime);
    onTestFinished(runtime.remove);
    const first = await startReady(runtime);
    const words = ["node", "/museum/bin/service.js", "keys", "create", "--name", "shop", "--json"];
    const { key } = JSON.parse(first.exec(words).output) as { key: string };
    expect(key).toMatch(/^museum_live_/); // in production
    await createEvent(`${first.origin}/api/v1`, key);
    expect(await first.stop("SIGTERM")).toBe(0);
    const second = await startReady(runtime);
    expect(await events(`${second.origin}/api/v1`, key)).toEqual([{ id: 1, name: "Opening" }]);
    expect(await second.stop("SIGTERM")).toBe(0);
  });
});
