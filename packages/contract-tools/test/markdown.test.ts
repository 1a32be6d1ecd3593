import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { OpenAPI3 } from "openapi-typescript";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { contractChanges } from "../src/comparison/compare.ts";
import { formatMarkdown } from "../src/output.ts";

const BOOKS = `openapi: 3.1.0
info: { title: Books, version: 1.0.0 }
paths:
  /books:
    get:
      operationId: listBooks
      parameters:
        - name: limit
          in: query
          schema:
            type: integer
            maximum: 100
      responses:
        "200":
          description: Books.
          content:
            application/json:
              schema: { $ref: "#/components/schemas/Shelf" }
    delete:
      operationId: burnBooks
      responses:
        "204":
          description: Gone.
components:
  schemas:
    Shelf:
      type: string
      enum: [new, old]
webhooks:
  sold:
    post:
      responses:
        "204":
          description: Noted.
`;

test("a summary lists changes by impact and by audience", async () => {
  const changed = BOOKS.replace("maximum: 100", "maximum: 50")
    .replace("[new, old]", "[new, old, lost]")
    .replace("listBooks", "findBooks")
    .replace("Books.\n", "The books.\n")
    .replace(/ {4}delete:[^]*?(?=components)/, "")
    .replace(
      /(?<=sold:\n {4}post:\n)/,
      "      requestBody: { content: { text/plain: { schema: { type: string } } } }\n",
    );
  expect(await summary(BOOKS, changed)).toBe(`## The contract changes: 5 breaking, 1 documentation

### Breaking: clients must change

#### Consumers of the client: names and types

<code>GET /books</code>: The operationId changes from "listBooks" to "findBooks". Calls in generated clients use this name. (openapi.yaml:6)

#### Senders of requests

<code>GET /books</code>: Query parameter "limit": \`maximum\` changes from 100 to 50. Narrows the request: the service rejects requests that clients may send today. (openapi.yaml:12)

<code>DELETE /books</code>: The operation is removed. Clients that call it get 404 or 405.

#### Readers of responses

<code>GET /books</code>: Response 200: the value "lost" is added. Widens the response: clients may not understand the new values. (openapi.yaml:23)

#### Implementers of webhooks and callbacks

<code>webhooks/sold</code>: The webhook changes. Clients implement it as it is today. (openapi.yaml:27)

### Documentation

<code>GET /books</code>: \`description\` of responses/200 changes. A description promises nothing. (openapi.yaml:15)
`);
});

test("the same contract has no changes", async () => {
  expect(await summary(BOOKS, BOOKS)).toBe("## The contract has not changed\n");
});

test("equal changes of several operations are one entry", async () => {
  const twice = BOOKS.replace("    delete:", "    put:").replace(
    '"204":\n          description: Gone.',
    '"200":\n          $ref: "#/paths/~1books/get/responses/200"',
  );
  const text = await summary(twice, twice.replace("[new, old]", "[new]"));
  expect(text).toContain("<code>GET /books</code>, <code>PUT /books</code>: Response 200: the value");
});

test("text of the contract becomes neither HTML, a link nor a heading", async () => {
  const hostile = "'``` ~~~ </details><script>alert(1)</script> [x](https://evil.test) ![y](z) # h @all \u202e\u0085'";
  const changed = BOOKS.replace("[new, old]", `[new, old, ${hostile}]`).replace("limit", "'`</code>*_<b>|'");
  const text = await summary(BOOKS, changed);
  expect(text).toContain("&#60;script&#62;");
  expect(text).not.toMatch(/<(?!\/?code>)|`(?![\w$-]+`)|\[|[*_|#@](?<!^#+)(?<!&#)(?!#* )/m);
  expect(text).not.toMatch(/[\u0085\u202e]/);
});

test("a summary has at most 768 KiB", async () => {
  const parameters = Array.from({ length: 1_500 }, (_, index) => {
    return `        - { name: p${index}${"a".repeat(600)}, in: query, schema: { type: string, maxLength: 5 } }\n`;
  }).join("");
  const wide = BOOKS.replace("      parameters:\n", `      parameters:\n${parameters}`);
  const many = await summary(wide, wide.replaceAll("maxLength: 5", "maxLength: 4"));
  expect(Buffer.byteLength(many)).toBeLessThan(768 * 1024 + 200);
  expect(many).toMatch(/\nThe summary ends here\. `contract diff` lists every change\.\n$/);
});

/** Returns the summary of the changes to a contract in a file that is called `openapi.yaml` in messages. */
async function summary(before: string, after: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "markdown-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "openapi.yaml");
  await writeFile(file, after);
  const changes = await contractChanges(parse(before) as OpenAPI3, parse(after) as OpenAPI3, file);
  return formatMarkdown(
    changes.map(({ at, ...change }) => ({ ...change, ...(at && { at: { ...at, file: basename(at.file) } }) })),
  );
}
