import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type InstalledPackage, installPacked, packagingProblems } from "@platform/test-support/installed-package";
import { pack } from "@platform/test-support/pnpm";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { follow, pages } from "./pages.ts";

const source = fileURLToPath(new URL("..", import.meta.url));
const documents = join(source, "../openapi-document");
const [readme] = pages as [(typeof pages)[0]];
const guides = pages.filter(({ steps }) => steps.length > 0 && steps !== readme.steps);
const EXAMPLES = readdirSync(join(source, "examples"));

const CJS_PROGRAM = `import { type Handlers, implement, nodeHandler, Problem } from "express-operations";
interface operations {
  getBook: { parameters: { path: { bookId: number } }; responses: { 404: { content?: never } } };
}
const handlers: Handlers<operations> = { getBook: ({ path }) => ({ status: path.bookId > 0 ? 404 : 404 }) };
export const listener = () =>
  nodeHandler(implement<operations>()({ document: { openapi: "3.1.0" }, handlers }));
console.log(new Problem(404, "not_found", "No such book.") instanceof Problem);
`;

/** Installs the packed package in its own folder, like a user's project, with its examples and two compilers. */
describe("the packed and installed package", () => {
  let installed: InstalledPackage;
  let elsewhere: string;

  beforeAll(() => {
    installed = installPacked(
      source,
      {
        express: "5",
        "openapi-document": "*",
        "openapi-typescript": "7.13.0",
        typescript: "5.9.3",
        "typescript-7": "npm:typescript@7.0.2",
        "@types/express": "5",
        "@types/node": "26",
      },
      [documents],
    );
    elsewhere = installed.directory;
    cpSync(join(source, "examples"), elsewhere, { recursive: true });
  });
  afterAll(() => installed[Symbol.dispose]());

  test("passes publint and attw", async () => {
    expect(await packagingProblems(installed.tarball)).toEqual([]);
  });

  test.each(pages)("has $path, and the pages that it links to", ({ path, text }) => {
    const page = join(elsewhere, "node_modules/express-operations", path);
    expect(readFileSync(page, "utf8")).toBe(text);
    const links = Array.from(text.matchAll(/\]\((?!https:|#)([^)#]*)/g), ([, link]) => link!);
    expect(links.filter((link) => !existsSync(join(dirname(page), link)))).toEqual([]);
  });

  test.each(EXAMPLES)("writes the types of the example %s with its command", (example) => {
    const types = () => readFileSync(join(elsewhere, example, "operations.ts"), "utf8");
    const committed = types();
    rmSync(join(elsewhere, example, "operations.ts"));
    const command = join(elsewhere, "node_modules/.bin/express-operations");
    execFileSync(command, ["openapi.json", "--output", "operations.ts"], { cwd: join(elsewhere, example) });
    expect(types()).toBe(committed);
  });

  test.each([
    ["typescript", { module: "nodenext", noEmit: true }],
    ["typescript", { module: "esnext", moduleResolution: "bundler", noEmit: true }],
    ["typescript-7", { module: "esnext", moduleResolution: "bundler", noEmit: true }],
    ["typescript-7", { module: "nodenext", outDir: "out" }],
  ])("compiles its examples and the declarations of libraries without errors, with %s and %o", (compiler, options) => {
    const sources = { resolveJsonModule: true, rewriteRelativeImportExtensions: true, rootDir: "." };
    const target = { target: "es2024", lib: ["es2024"], types: ["node"] };
    const folders = EXAMPLES.map((example) => `${example}/*.ts`);
    expect(installed.typecheck(compiler, { ...target, ...sources, ...options }, folders)).toBe("");
  });

  test.each([
    ["typescript", "commonjs"],
    ["typescript", "nodenext"],
    ["typescript-7", "commonjs"],
    ["typescript-7", "nodenext"],
  ])("compiles a CommonJS program with %s and module %s, which requires the package", (compiler, module) => {
    mkdirSync(join(elsewhere, "cjs"), { recursive: true });
    installed.write("cjs/package.json", { type: "commonjs" });
    installed.write("cjs/program.ts", CJS_PROGRAM);
    const options = { module, target: "es2024", lib: ["es2024"], types: ["node"], rootDir: "cjs", outDir: "cjs/out" };
    expect(installed.typecheck(compiler, options, ["cjs/*.ts"])).toBe("");
    const program = join(elsewhere, "cjs/out/program.js");
    expect(readFileSync(program, "utf8")).toContain('require("express-operations")');
    expect(execFileSync(process.execPath, [program], { encoding: "utf8" })).toBe("true\n");
  });

  test("serves the notes example as JavaScript, and passes its conformance checks", async () => {
    const baseUrl = `${await start("out/notes/server.js")}/v1`;
    const response = await fetch(`${baseUrl}/notes?limit=1`);
    expect([response.status, await response.json()]).toEqual([
      200,
      [{ id: 1, text: "Water the plants", tags: ["home"] }],
    ]);
    const checked = spawnSync(process.execPath, ["out/notes/conformance.js"], {
      cwd: elsewhere,
      encoding: "utf8",
      env: { ...process.env, BASE_URL: baseUrl },
    });
    expect(checked.stdout).toContain("failures: {}");
    expect(checked.status).toBe(0);
  });

  test("serves the photos example as JavaScript, with authentication and scopes", async () => {
    const baseUrl = await start("out/photos/server.js");
    const upload = async (token: string, type = "image/png") => {
      const body = new FormData();
      body.set("title", "Sunset");
      body.set("photo", new File(["bytes"], "sunset.png", { type }));
      const headers = { Authorization: `Bearer ${token}` };
      const response = await fetch(`${baseUrl}/photos`, { method: "POST", headers, body });
      return [response.status, await response.json()];
    };
    expect(await upload("ada's token")).toEqual([201, { id: 0, title: "Sunset", owner: "Ada", size: 5 }]);
    expect(await upload("ada's token", "text/html")).toEqual([422, { fault: "The photo is no image." }]);
    expect(await upload("bob's token")).toEqual([403, { fault: "This operation needs the scope photos:write." }]);
    expect(await upload("nobody's token")).toMatchObject([401, { fault: expect.any(String) as string }]);
    const photo = await fetch(`${baseUrl}/photos/0`, { headers: { Authorization: "Bearer bob's token" } });
    expect([photo.headers.get("Content-Type"), await photo.text()]).toEqual(["image/png", "bytes"]);
  });

  test("sends the webhooks and callbacks of the webhooks example to its receiver", async () => {
    process.env["WEBHOOK_SECRET"] = `whsec_${Buffer.alloc(24, 1).toString("base64")}`;
    const receiver = await start("out/webhooks/receiver.js");
    const baseUrl = `${await start("out/webhooks/server.js")}/v1`;
    const post = (path: string, body: object) =>
      fetch(baseUrl + path, {
        method: "POST",
        body: JSON.stringify(body),
        headers: { "Content-Type": "application/json" },
      });
    const url = `${receiver}/hooks/bookings`;
    const received = async () => (await fetch(`${receiver}/received`)).json();
    expect((await post("/subscriptions", { url, secret: process.env["WEBHOOK_SECRET"] })).status).toBe(204);
    expect((await post("/bookings", { room: "12", statusUrl: url })).status).toBe(201);
    await expect.poll(received).toEqual([1, 1].map((id) => ({ id, room: "12" })));
    const query = { method: "QUERY", body: '{"room":"12"}', headers: { "Content-Type": "application/json" } };
    expect(await (await fetch(`${baseUrl}/bookings`, query)).json()).toEqual([{ id: 1, room: "12" }]);
  });

  /** Starts a server on a free port until the end of the test. Returns its origin once it listens. */
  async function start(file: string): Promise<string> {
    const server = await installed.serve(file);
    onTestFinished(() => server[Symbol.asyncDispose]());
    return server.origin;
  }
});

test("the package uses the Express of the application, even the oldest supported version, and installs no other", async () => {
  using host = installPacked(source, { express: "5.0.0" }, [documents]);
  cpSync(join(source, "examples"), host.directory, { recursive: true });
  const versions = readdirSync(join(host.directory, "node_modules/.pnpm")).filter((name) =>
    name.startsWith("express@"),
  );
  expect(versions).toEqual(["express@5.0.0"]);
  await using server = await host.serve("notes/server.ts");
  const response = await fetch(`${server.origin}/v1/notes?limit=1`);
  expect([response.status, await response.json()]).toEqual([
    200,
    [{ id: 1, text: "Water the plants", tags: ["home"] }],
  ]);
  const refused = await fetch(`${server.origin}/v1/notes?limit=none`);
  expect([refused.status, await refused.json()]).toMatchObject([400, { code: "invalid_request" }]);
  const command = join(host.directory, "node_modules/.bin/express-operations");
  const { status, stderr } = spawnSync(command, ["notes/openapi.json"], { cwd: host.directory, encoding: "utf8" });
  expect([status, stderr]).toEqual([
    1,
    "The types are written by openapi-typescript: npm install --save-dev openapi-typescript typescript@5\n",
  ]);
});

/** Follows the README in an empty folder, and each guide in a folder below, with the packed packages in place of the published ones. */
describe("a reader of the README and the guides", { timeout: 300_000 }, () => {
  const home = mkdtempSync(join(tmpdir(), "reader-"));
  const tarballs = { operations: join(home, "operations.tgz"), document: join(home, "document.tgz") };
  beforeAll(() => {
    pack(source, tarballs.operations);
    pack(documents, tarballs.document);
  });
  afterAll(() => rmSync(home, { recursive: true }));

  /** The first tarball brings the second one, which npm would look for in the registry. */
  const commandFor = (command: string) =>
    command.replace("install express-operations ", `install ${tarballs.operations} ${tarballs.document} `);
  /** Returns the errors in what the reader has written so far. The compiler is the reader's, or the one of this repository. */
  const check = (typescript = join(home, "node_modules/typescript")) => {
    const tsc = [join(typescript, "bin/tsc"), "--noEmit", "-p", home];
    return spawnSync(process.execPath, tsc, { encoding: "utf8" }).stdout;
  };

  test.for([readme, ...guides])("sees what $path says", async ({ path, steps }) => {
    const folder = path === readme.path ? home : join(home, basename(path, ".md"));
    mkdirSync(folder, { recursive: true });
    expect(await follow({ steps, folder, commandFor, check })).toEqual([]);
  });

  test("writes programs that both compilers accept", () => {
    expect(check()).toBe("");
    expect(check(join(source, "../../node_modules/typescript"))).toBe("");
  });
});

test("the README links to every example", () => {
  for (const example of EXAMPLES) expect(readme.text).toContain(`](examples/${example}`);
});
