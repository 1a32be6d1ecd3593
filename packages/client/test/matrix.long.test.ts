import { execFile, execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { startService, type TestService } from "@petstore/server/testing";
import { chromiumAbsence, needsTool } from "@platform/test-support/machine";
import { pack, pnpmPath } from "@platform/test-support/pnpm";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { addPet, expectPageListsAnimals } from "./animal-page.ts";
import { faulty, KEY } from "./faulty.ts";
import { hostile, HOSTILE_PROGRAM, OUTCOMES } from "./hostile-program.ts";

const run = promisify(execFile);
const source = join(import.meta.dirname, "..");
const tools = join(source, "../laboratory/client/matrix");
const tool = (path: string) => join(tools, "node_modules", path);

/** The Nodes of the matrix. Their packages are for one platform. */
const NODES = ["node-20.3", "node-20", "node-22", "node-24", "node-26"] as const;
const absence =
  `${process.platform}-${process.arch}` === "linux-x64" ? undefined : "the tools are installed on Linux with x64";
const node = (version: (typeof NODES)[number]) => tool(`${version}/bin/node`);

/** A project that a user makes with `npm init -y`, with the packed packages in place of the published ones. */
describe.skipIf(absence !== undefined)("the packed client in a project of npm", () => {
  const project = mkdtempSync(join(tmpdir(), "matrix-"));
  let service: TestService;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    execFileSync(pnpmPath(), ["install", "--frozen-lockfile"], { cwd: tools, stdio: ["ignore", "ignore", "inherit"] });
    pack(join(source, "../fetch-operations"), join(project, "runtime.tgz"));
    pack(join(source, "../openapi-document"), join(project, "document.tgz"));
    pack(source, join(project, "client.tgz"));
    const commands = installation().replace(
      "@petstore/client",
      "./document.tgz ./runtime.tgz ./client.tgz @cfworker/json-schema@4",
    );
    await run("sh", ["-ec", commands], { cwd: project });
    service = await startService();
    const options = { NODE_OPTIONS: "" }; // earlier versions lack options of the repository
    env = { ...process.env, ...options, PETSTORE_URL: service.baseUrl, PETSTORE_KEY: service.key };
    for (const name of ["Ada", "Bob", "Eve"]) await addPet(service, { name, categoryId: 1, status: "sold" });
  });
  afterAll(async () => {
    await service?.[Symbol.asyncDispose]();
    rmSync(project, { recursive: true });
  });

  const write = (file: string, content: string) => writeFileSync(join(project, file), content);
  const runIn = async (program: string, ...args: string[]) => {
    const { stdout } = await run(program, args, { cwd: project, env });
    return stdout.trimEnd().split("\n");
  };

  describe("the first example of the README runs as printed", () => {
    const [typescript, commonJs] = firstUse();
    // Each run adds an animal, so that the printed number of animals holds for the first run alone.
    const expectOutput = (lines: string[]) => expect([lines[0], lines.length]).toEqual(["available", 2]);

    test.each(["node-24", "node-26"] as const)("by %s, as TypeScript", async (version) => {
      write("first.mts", typescript);
      expectOutput(await runIn(node(version), "first.mts"));
    });

    test.each(NODES)("by %s, as JavaScript without `!`", async (version) => {
      write("first.mjs", typescript.replaceAll("!,", ","));
      expectOutput(await runIn(node(version), "first.mjs"));
    });

    test.each(NODES)("by %s, as CommonJS", async (version) => {
      write("first.cjs", commonJs);
      expectOutput(await runIn(node(version), "first.cjs"));
    });
  });

  test.each(["node-20", "node-22", "node-24", "node-26"] as const)(
    "Jest on %s needs no flags, and tests with the fake petstore",
    async (version) => {
      write("listing.test.js", JEST);
      const jest = run(node(version), [tool("jest/bin/jest.js"), "--rootDir", project, "--no-cache"], {
        cwd: project,
        env,
      });
      const { stderr } = await jest.catch((error: { stderr: string }) => error);
      expect(stderr).toMatch(/^Tests: +2 passed, 2 total$/m);
    },
  );

  test("Metro bundles each entry point without package exports", async () => {
    mkdirSync(join(project, "app"));
    write(
      "app/index.js",
      `${LISTING}\nimport "@petstore/client/testing";\nimport "@petstore/client/validation";\nlist(process.env).then(console.log);`,
    );
    write("app/metro.config.cjs", METRO);
    write(
      "app/babel.config.cjs",
      `module.exports = { presets: [${JSON.stringify(tool("@react-native/babel-preset"))}] };`,
    );
    const bundled = join(project, "app/bundle.js");
    const args = ["build", "index.js", "--out", bundled, "--config", "app/metro.config.cjs", "--platform", "ios"];
    await run(node("node-26"), [tool("metro/src/cli.js"), ...args, "--max-workers", "1"], { cwd: project, env });
    expect(await runIn(node("node-26"), bundled)).toEqual(["Ada Bob Eve, Ada"]);
  });

  test("Parcel bundles the page, which lists animals page by page", async (context) => {
    needsTool(context, chromiumAbsence);
    cpSync(join(source, "test/fixtures/browser"), join(project, "browser"), { recursive: true });
    // Parcel takes `main`, which `npm init` writes, for the file that it builds.
    await run("npm", ["pkg", "delete", "main"], { cwd: project });
    const args = ["build", "browser/index.html", "--dist-dir", "site", "--no-cache", "--no-autoinstall"];
    await run(node("node-26"), [tool("parcel/lib/bin.js"), ...args], { cwd: project, env });
    await expectPageListsAnimals(join(project, "site"), service);
  });

  test.each([
    ...NODES.map((version): [string, string[]] => [version, [node(version)]]),
    ["bun", [tool("bun/bin/bun")]],
    ["deno", [tool("deno/deno"), "run", "--allow-all"]],
  ])("%s survives the hostile service", async (_name, [program = "", ...args]) => {
    await using server = await faulty(hostile);
    write(
      "hostile.mjs",
      `${HOSTILE_PROGRAM}\nconsole.log(await outcomes(...${JSON.stringify([server.baseUrl, KEY])}));`,
    );
    const [line] = await runIn(program, ...args, "hostile.mjs");
    expect(JSON.parse(line!)).toEqual(OUTCOMES);
  });

  test("workerd survives the hostile service, in a bundled worker", async () => {
    await using server = await faulty(hostile);
    const text = `await outcomes(...${JSON.stringify([server.baseUrl, KEY])})`;
    write("worker.js", `${HOSTILE_PROGRAM}\nexport default { fetch: async () => new Response(${text}) };`);
    expect(JSON.parse(await runWorker())).toEqual(OUTCOMES);
  });

  test("workerd lists animals in a bundled worker", async () => {
    write("worker.js", `${LISTING}\nexport default { fetch: async (_, env) => new Response(await list(env)) };`);
    expect(await runWorker()).toBe("Ada Bob Eve, Ada");
  });

  /** Bundles `worker.js` and returns the response of the worker. */
  async function runWorker(): Promise<string> {
    await build({
      root: project,
      configFile: false,
      logLevel: "error",
      build: {
        outDir: "worker",
        lib: { entry: "worker.js", formats: ["es"], fileName: () => "worker.js" },
        rolldownOptions: { output: { codeSplitting: false } },
      },
    });
    write("config.capnp", WORKERD);
    const workerd = spawn(
      tool("@cloudflare/workerd-linux-64/bin/workerd"),
      ["serve", "config.capnp", "--control-fd=1"],
      {
        cwd: project,
        env,
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    const ended = once(workerd, "exit");
    onTestFinished(async () => {
      workerd.kill();
      await ended;
    });
    const [line] = (await Promise.race([once(createInterface(workerd.stdout), "line"), ended])) as [string];
    const { port } = JSON.parse(line) as { port: number };
    return (await fetch(`http://127.0.0.1:${port}`)).text();
  }
});

/** Returns the commands of the README's chapter "Install". */
function installation(): string {
  return /^## Install\n\n```sh\n([\s\S]*?)^```/m.exec(readFileSync(join(source, "README.md"), "utf8"))![1]!;
}

/** Returns the first example of the README as TypeScript and as CommonJS. */
function firstUse(): [typescript: string, commonJs: string] {
  const readme = readFileSync(join(source, "README.md"), "utf8");
  const chapter = readme.slice(readme.indexOf("## First use"));
  return [/```ts\n([\s\S]*?)^```/m.exec(chapter)![1]!, /```js\n([\s\S]*?)^```/m.exec(chapter)![1]!];
}

/** Lists the sold animals of all pages, and the first one by a single operation. */
const LISTING = `import { createPetstore } from "@petstore/client";
import { call, connect, listPets, retries } from "@petstore/client/operations";

async function list({ PETSTORE_URL: baseUrl, PETSTORE_KEY: apiKey }) {
  const names = [];
  const petstore = createPetstore({ baseUrl, apiKey });
  for await (const { name } of petstore.paginate.listPets({ status: "sold", limit: 2 })) names.push(name);
  const [first] = await call(connect({ baseUrl, apiKey }, retries), listPets, { status: "sold", limit: 1 }).orThrow();
  return names.join(" ") + ", " + first.name;
}`;

const JEST = `const { createPetstore, PetstoreError } = require("@petstore/client");
const { createFakePetstore } = require("@petstore/client/testing");

const fake = createFakePetstore();
const petstore = createPetstore({ baseUrl: "https://pets.test/v1", apiKey: "any", fetch: fake.fetch });
afterEach(() => {
  fake.verify();
  fake.reset();
});

test("lists the contract's example", async () => {
  expect((await petstore.listPets().orThrow()).map(({ name }) => name)).toEqual(["Rex", "Mia"]);
  expect((await petstore.checkContract()).compatible).toBe(true); // loaded on demand
});

test("throws a PetstoreError", async () => {
  fake.mock("listPets", { status: 403 });
  await expect(petstore.listPets().orThrow()).rejects.toBeInstanceOf(PetstoreError);
});
`;

const METRO = `module.exports = {
  projectRoot: __dirname,
  resolver: {
    unstable_enablePackageExports: false,
    useWatchman: false,
    nodeModulesPaths: [${JSON.stringify(join(tools, "node_modules"))}],
  },
  watchFolders: [require("node:path").dirname(__dirname), ${JSON.stringify(tools)}],
  transformer: { babelTransformerPath: ${JSON.stringify(tool("@react-native/metro-babel-transformer"))} },
  serializer: { getPolyfills: () => [] },
};
`;

const WORKERD = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main), (name = "internet", network = (allow = ["private", "public"]))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker/worker.js")],
  compatibilityDate = "2026-01-01",
  bindings = [
    (name = "PETSTORE_URL", fromEnvironment = "PETSTORE_URL"),
    (name = "PETSTORE_KEY", fromEnvironment = "PETSTORE_KEY"),
  ],
);
`;
