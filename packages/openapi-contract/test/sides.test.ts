import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { contractAt } from "../src/comparison/sides.ts";

let folder: string;
const write = (file: string, text: string) => {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
};
const git = (...words: string[]) =>
  execFileSync("git", ["-C", folder, "-c", "user.name=test", "-c", "user.email=test@localhost", ...words]);

/** A contract whose only path is in another file. */
const contract = (title: string) =>
  `openapi: 3.1.1\ninfo: { title: ${title}, version: 1.0.0 }\npaths: { /a: { $ref: paths/a.yaml } }\n`;
const path = (summary: string) => `get: { summary: ${summary}, responses: { "200": { description: Done. } } }\n`;
const DOCUMENT = JSON.stringify({ openapi: "3.1.1", info: { title: "Served", version: "1.0.0" }, paths: {} });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sides-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  write("api/openapi.yaml", contract("First"));
  write("api/paths/a.yaml", path("First"));
});

describe("one side of a comparison is", () => {
  const at = (word: string) => contractAt(word, join(folder, "api/openapi.yaml"));

  test("a file or a folder, which have lines", async () => {
    const file = join(folder, "api/openapi.yaml");
    const found = await Promise.all([file, join(folder, "api")].map(at));
    expect(found.map((side) => [side?.document.info.title, side?.file])).toEqual([
      ["First", file],
      ["First", file],
    ]);
  });

  test("the contract and the files that it refers to at a git revision, also of a branch that has the name of a folder", async () => {
    git("init", "--quiet", "--initial-branch=main");
    git("add", ".");
    git("commit", "--quiet", "--message=first");
    git("branch", "src"); // this package has such a folder
    write("api/openapi.yaml", contract("Second"));
    write("api/paths/a.yaml", path("Second"));
    const { document, file } = (await at("src"))!;
    expect([document.info.title, file]).toEqual(["First", undefined]);
    expect(document).toHaveProperty(["paths", "/a", "get", "summary"], "First");
    rmSync(join(folder, "api"), { recursive: true });
    expect((await at("src"))!.document).toEqual(document);
    expect(await contractAt("src", join(folder, "api/other.yaml"))).toBeUndefined();
    await expect(at("other")).rejects.toThrow(/^The git revision other has no contract: fatal: /);
    await expect(at("test")).rejects.toThrow("The folder test has no openapi.yaml or openapi.json.");
    await expect(at("other.yaml")).rejects.toThrow("There is no file other.yaml.");
  });

  test("a published contract, or the service that serves it", async () => {
    await using server = await serve({
      "/spec.yaml": "openapi: 3.1.1\ninfo: { title: Served, version: 1.0.0 }\npaths: {}\n",
      "/v1/openapi.json": DOCUMENT,
      "/v1": "<p>Welcome</p>",
    });
    const urls = ["/spec.yaml", "/v1/openapi.json", "/v1", "/v1/"].map((own) => server.url + own);
    for (const url of urls) expect((await at(url))?.document.info.title, url).toBe("Served");
    await expect(at(`${server.url}/none`)).rejects.toThrow(
      `${server.url}/none cannot be read: it responds with status 404.`,
    );
  });

  test("not a contract that leads to another host, nor one from a host that does not respond", async () => {
    const outside = contract("Served").replace("paths/a.yaml", "http://other.example/a.yaml");
    await using server = await serve({ "/spec.yaml": outside });
    await expect(at(`${server.url}/spec.yaml`)).rejects.toThrow(
      "http://other.example/a.yaml is on another host than the contract.",
    );
    const { url } = server;
    await server[Symbol.asyncDispose]();
    await expect(at(`${url}/spec.yaml`)).rejects.toThrow(
      /^http:.* cannot be read: (?:connect ECONNREFUSED|other side closed)/,
    );
  });
});

async function serve(files: Record<string, string>): Promise<AsyncDisposable & { url: string }> {
  const server = createServer(({ url = "" }, response) => {
    const text = files[url.replace(/(.)\/$/, "$1")];
    response.writeHead(text === undefined ? 404 : 200).end(text);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      if (server.listening) await new Promise((done) => server.close(done));
    },
  };
}
