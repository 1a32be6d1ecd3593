import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";

const program = fileURLToPath(new URL("../src/documents/generate-types.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "generate-types-"));
afterAll(() => rmSync(folder, { recursive: true }));

writeFileSync(
  join(folder, "openapi.yaml"),
  `openapi: 3.1.1
info: { title: Bookshop, version: 1.0.0 }
paths:
  /books:
    get:
      operationId: books#list
      parameters: [{ name: limit, in: query, schema: { type: integer, default: 20 } }]
      responses: { 200: { description: Books, content: { application/json: { schema: { $ref: schemas.yaml#/Book } } } } }
`,
);
writeFileSync(
  join(folder, "schemas.yaml"),
  `Book:
  properties:
    at: { type: [string, "null"], format: date-time }
    price: { type: string, format: decimal }
    format: { type: object, properties: { format: { type: string, default: text } } }
`,
);

function generate(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { cwd: folder, encoding: "utf8" });
  return { status, stdout, stderr };
}

describe("the command express-operations", () => {
  const types = () => readFileSync(join(folder, "operations.ts"), "utf8");

  test("prints the types of a document of several files, with defaults filled in", () => {
    const { status, stdout, stderr } = generate("openapi.yaml");
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^ {4}"books#list": \{$/m);
    expect(stdout).toContain("limit: number;");
    expect(stdout).toContain("format?: string;");
    expect(stdout).toContain("at?: string | null;");
  });

  test("writes them to a file, and leaves a file with the same content alone", () => {
    expect(generate("openapi.yaml", "--output", "operations.ts")).toEqual({ status: 0, stdout: "", stderr: "" });
    expect(types()).toBe(generate("openapi.yaml").stdout);
    utimesSync(join(folder, "operations.ts"), 1, 1);
    generate("openapi.yaml", "-o", "operations.ts");
    expect(statSync(join(folder, "operations.ts")).mtimeMs).toBe(1000);
  });

  test("writes the types of formats that are converted", () => {
    const decimal = 'import("./decimal.ts").Decimal';
    const { stdout } = generate("openapi.yaml", "--format", "date-time=Date", "--format", `decimal=${decimal}`);
    expect(stdout).toContain("at?: Date | null;");
    expect(stdout).toContain(`price?: ${decimal};`);
  });

  test.each([
    [["--help"], 0, /^$/],
    [[], 2, /^error: name one document, such as openapi\.yaml\nAdd --help to see the usage\.\n$/],
    [["openapi.yaml", "other.yaml"], 2, /^error: name one document/],
    [
      ["openapi.yaml", "--format", "date-time"],
      2,
      /^error: --format date-time has no type; write it as --format date-time=Date\n/,
    ],
    [["openapi.yaml", "--outputs", "x.ts"], 2, /^error: unknown option '--outputs'/],
    [["absent.yaml"], 1, /^The document absent\.yaml cannot be read \(ENOENT\)\./],
    [["openapi.yaml", "--output", "absent/operations.ts"], 1, /^ENOENT: no such file or directory, open '.*'\n$/],
  ])("%j: exits with %i", (args, code, message) => {
    const { status, stderr } = generate(...args);
    expect(stderr).toMatch(message);
    expect(status).toBe(code);
  });
});
