import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { saveTo } from "../src/node/index.ts";
import { type ContractViolation, validateResponses } from "../src/validation/index.ts";
import { generatedClient } from "./generated-client.ts";
import { serve } from "./shop.ts";

const folder = mkdtempSync(join(tmpdir(), "download-"));
afterAll(() => rmSync(folder, { recursive: true }));

const schema = { type: "object", required: ["id"], properties: { id: { type: "integer" } } };
const content = { "application/pdf": {}, "application/json": { schema } };
const document = {
  openapi: "3.1.1",
  info: { title: "T", version: "1" },
  paths: { "/x": { get: { operationId: "read", responses: { 200: { description: "", content } } } } },
};

describe("saveTo writes a download to a new file", () => {
  test("as it arrives", async () => {
    const bytes = Buffer.alloc(1_000_000, "abc");
    await using server = await serve((_request, response) =>
      response.writeHead(200, { "Content-Type": "application/pdf" }).end(bytes),
    );
    using client = await generatedClient(document);
    const { raw } = client.create({ baseUrl: server.baseUrl, maxResponseBytes: 10 });
    await saveTo(join(folder, "a.pdf"), raw["read"]!());
    expect(readFileSync(join(folder, "a.pdf")).equals(bytes)).toBe(true);
  });

  test("and rejects with the failure of the download, if the file is gone as well", async () => {
    const path = join(folder, "d.pdf");
    await using server = await serve((_request, response) => {
      response.writeHead(200, { "Content-Type": "application/pdf", "Content-Length": 100 }).write("part");
      const remove = async () => {
        await expect.poll(() => existsSync(path)).toBe(true);
        rmSync(path);
        response.destroy();
      };
      void remove();
    });
    using client = await generatedClient(document);
    await expect(saveTo(path, client.create({ baseUrl: server.baseUrl }).raw["read"]!())).rejects.toThrow("terminated");
  });

  test("and leaves no file if it breaks, and an existing file as it is", async () => {
    await using server = await serve((_request, response) => {
      response.writeHead(200, { "Content-Type": "application/pdf", "Content-Length": 100 });
      response.write("part", () => response.destroy());
    });
    using client = await generatedClient(document);
    const { raw } = client.create({ baseUrl: server.baseUrl });
    await expect(saveTo(join(folder, "b.pdf"), raw["read"]!())).rejects.toThrow("terminated");
    expect(existsSync(join(folder, "b.pdf"))).toBe(false);
    writeFileSync(join(folder, "c.pdf"), "mine");
    await expect(saveTo(join(folder, "c.pdf"), new Response("other"))).rejects.toThrow("EEXIST");
    expect(readFileSync(join(folder, "c.pdf"), "utf8")).toBe("mine");
  });
});

describe("validateResponses", () => {
  async function read(body: string, onViolation?: (violation: ContractViolation) => void) {
    await using server = await serve((_request, response) =>
      response.writeHead(200, { "Content-Type": "application/json" }).end(body),
    );
    using client = await generatedClient(document);
    const validated = validateResponses(document, client.operations, onViolation);
    return await client.create({ baseUrl: server.baseUrl, ...validated })["read"]!().orThrow();
  }

  test("accepts a response that matches its schema", async () => {
    expect(await read('{"id":1}')).toEqual({ id: 1 });
  });

  test("rejects the call, or reports", async () => {
    await expect(read('{"id":"1"}')).rejects.toMatchObject({
      name: "ContractViolation",
      operationId: "read",
      pointer: "/body/id",
    });
    const found: string[] = [];
    expect(await read("{}", ({ message }) => void found.push(message))).toEqual({});
    expect(found).toEqual([expect.stringMatching(/^read: the response 200 breaks the contract at \/body: /)]);
  });
});
