import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";

const MAIN = resolve(import.meta.dirname, "../../src/mock/main.ts");

/** A contract with one operation, whose example is a title. */
const contractWith = (title: string) => `openapi: 3.1.1
info: { title: Shop, version: 1.0.0 }
servers: [{ url: "https://{region}.shop.example/{path}", variables: { region: { default: eu }, path: { default: v2 } } }]
paths:
  /books:
    get:
      operationId: listBooks
      security: [{ key: [] }]
      responses: { 200: { $ref: "parts/books.yaml#/list" }, 429: { description: Later. } }
components:
  securitySchemes: { key: { type: apiKey, in: header, name: X-Key } }
  schemas: { Title: { type: string, example: ${title} } }
`;
const LIST = `list:
  description: The books.
  content:
    application/json:
      schema: { type: array, items: { type: object, properties: { title: { type: string } } } }
      example: [{ title: Emma }]
`;

/** Starts the mock of a contract in two folders. */
async function startMock() {
  const folder = await mkdtemp(join(tmpdir(), "mock-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, "parts"));
  const saveContract = (title: string) => writeFile(join(folder, "shop.yaml"), contractWith(title));
  const saveBooks = (title: string) => writeFile(join(folder, "parts/books.yaml"), LIST.replace("Emma", title));
  await saveContract("Emma");
  await saveBooks("Emma");
  const child = spawn(process.execPath, [MAIN, "--port", "0", join(folder, "shop.yaml")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill());
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const nextLine = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error("the mock has ended");
    return value;
  };
  const lineWith = async (text: string): Promise<string> => {
    for (;;) {
      const line = await nextLine();
      if (line.includes(text)) return line;
    }
  };
  const baseUrl = /listening on (\S+)/.exec(await lineWith("listening on"))![1]!;
  const titles = async () => (await fetch(`${baseUrl}/books`, { headers: { "X-Key": "any" } })).json();
  return { pid: child.pid!, baseUrl, titles, nextLine, lineWith, saveContract, saveBooks };
}

test("the mock prints its address and a request to try, logs each request, and serves changes of all files", async () => {
  const { baseUrl, titles, lineWith, saveBooks } = await startMock();
  expect(new URL(baseUrl).pathname).toBe("/v2");
  expect((await lineWith("curl")).trim()).toBe(`curl -i -H "X-Key: any-key" ${baseUrl}/books`);
  expect((await lineWith("code=")).trim()).toBe(`curl -i -H 'Prefer: code=429' -H "X-Key: any-key" ${baseUrl}/books`);
  await lineWith("Ctrl+C");
  expect(await titles()).toEqual([{ title: "Emma" }]);
  expect(await lineWith("GET")).toBe("GET /v2/books 200");

  await saveBooks("Persuasion");
  await lineWith("serves the new version");
  expect(await titles()).toEqual([{ title: "Persuasion" }]);
});

test("however often the contract is saved, each save is served once, by the same watchers and processes", async () => {
  const { pid, titles, nextLine, lineWith, saveContract, saveBooks } = await startMock();
  await lineWith("Ctrl+C");
  await nextLine(); // the empty line at the end of the greeting
  const before = await resourcesOf(pid);
  for (let save = 1; save <= 10; save++) {
    await saveContract(`Emma ${save}`); // the next save comes while this one is read
    await saveBooks(`Persuasion ${save}`);
    await lineWith("serves the new version");
  }
  await expect.poll(titles).toEqual([{ title: "Persuasion 10" }]);
  await lineWith("GET");
  await saveBooks("Sanditon");
  await lineWith("serves the new version");
  expect(await titles()).toEqual([{ title: "Sanditon" }]);
  expect(await nextLine()).toBe("GET /v2/books 200"); // and not a second reload
  expect(await resourcesOf(pid)).toEqual(before);
});

/** Returns the numbers of files that a process watches and of its child processes; undefined where the system does not say. */
async function resourcesOf(pid: number): Promise<{ watches: number; children: string } | undefined> {
  if (process.platform !== "linux") return undefined;
  const folder = `/proc/${pid}/fdinfo`;
  const texts = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), "utf8")));
  const watches = texts.join("").match(/^inotify /gm)?.length ?? 0;
  return { watches, children: await readFile(`/proc/${pid}/task/${pid}/children`, "utf8") };
}

test.each([
  ["--latency", "soon", "Give milliseconds, such as 200 or 100-800."],
  ["--latency", "9-3", "Give milliseconds, such as 200 or 100-800."],
  ["--faults", "101%", "Give a percentage, with a status if you like, such as 10% or 10%:429."],
  ["--seed", "x", "Give a whole number of at least 0."],
  ["--port", "http", "Give a whole number of at least 0."],
])("the mock rejects %s %s", async (option, value, remedy) => {
  const failure: unknown = await promisify(execFile)(process.execPath, [MAIN, option, value]).catch(
    (error: unknown) => error,
  );
  expect(failure).toMatchObject({ code: 2, stdout: "" });
  const { stderr } = failure as { stderr: string };
  expect(stderr).toMatch(`error: option '${option}`);
  expect(stderr).toContain(`argument '${value}' is invalid. ${remedy}\n`);
});

test("the mock names a contract file that it cannot read", async () => {
  const folder = await mkdtemp(join(tmpdir(), "mock-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "broken.yaml");
  await writeFile(file, 'openapi: 3.1.1\ninfo:\n  title: "unclosed\n');
  const failure: unknown = await promisify(execFile)(process.execPath, [MAIN, file]).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 1, stderr: expect.stringMatching(/broken\.yaml/) });
});

test("the mock refuses a contract that refers to another host, and names the option", async () => {
  const folder = await mkdtemp(join(tmpdir(), "mock-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "remote.yaml");
  await writeFile(
    file,
    "openapi: 3.1.1\ninfo: { title: a, version: a }\npaths: { /a: { $ref: 'http://127.0.0.1:9/a' } }\n",
  );
  const failure: unknown = await promisify(execFile)(process.execPath, [MAIN, file]).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 1, stderr: expect.stringMatching(/remote\.yaml:3:.*--allow-remote-refs/) });
});

test("the mock exits with the error and the remedy if its port is taken", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void taken.close());
  await once(taken, "listening");
  const { port } = taken.address() as AddressInfo;
  const failure: unknown = await promisify(execFile)(process.execPath, [MAIN, "--port", String(port)]).catch(
    (error: unknown) => error,
  );
  expect(failure).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(
      new RegExp(
        `^listen EADDRINUSE: address already in use 127\\.0\\.0\\.1:${port}\\. Choose another port with --port\\.\\n`,
      ),
    ),
  });
});
