import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { OpenAPI3 } from "openapi-typescript";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { changedLines, hunksBetween } from "../src/comparison/changed-lines.ts";
import { contractChanges } from "../src/comparison/compare.ts";
import { formatMarkdown } from "../src/markdown.ts";
import { ROOT } from "../src/paths.ts";

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

test("a summary lists changes by impact and by audience, with their lines before and after", async () => {
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

<code>GET /books</code>: The operationId changes from "listBooks" to "findBooks". Calls in generated clients use this name.

\`\`\`diff
@@ -6 +6 @@
-      operationId: listBooks
+      operationId: findBooks
\`\`\`

#### Senders of requests

<code>GET /books</code>: Query parameter "limit": \`maximum\` changes from 100 to 50. Narrows the request: the service rejects requests that clients may send today.

\`\`\`diff
@@ -12 +12 @@
-            maximum: 100
+            maximum: 50
\`\`\`

<code>DELETE /books</code>: The operation is removed. Clients that call it get 404 or 405.

\`\`\`diff
@@ -19,5 +18,0 @@
-    delete:
-      operationId: burnBooks
-      responses:
-        "204":
-          description: Gone.
\`\`\`

#### Readers of responses

<code>GET /books</code>: Response 200: the value "lost" is added. Widens the response: clients may not understand the new values.

\`\`\`diff
@@ -28 +23 @@
-      enum: [new, old]
+      enum: [new, old, lost]
\`\`\`

#### Implementers of webhooks and callbacks

<code>webhooks/sold</code>: The webhook changes. Clients implement it as it is today.

\`\`\`diff
@@ -31,0 +27 @@
+      requestBody: { content: { text/plain: { schema: { type: string } } } }
\`\`\`

### Documentation

<code>GET /books</code>: \`description\` of responses/200 changes. A description promises nothing.

\`\`\`diff
@@ -15 +15 @@
-          description: Books.
+          description: The books.
\`\`\`
`);
});

test("the same contract has no changes", async () => {
  expect(await summary(BOOKS, BOOKS)).toBe("## The contract has not changed\n");
});

test("lines that no change shows are listed at the end", async () => {
  const changed = BOOKS.replace("maximum: 100", "maximum: 50").replace("paths:", "# a comment\npaths:");
  const [, others] = (await summary(BOOKS, changed)).split("### Other changed lines\n");
  expect(others).toBe("\n```diff\n@@ -2,0 +3 @@\n+# a comment\n```\n");
});

test("neighbouring lines are joined only within a change", async () => {
  const two = BOOKS.replace("maximum: 100", "maximum: 100\n            minimum: 1");
  const changed = two.replace("maximum: 100", "maximum: 50").replace("minimum: 1", "minimum: 2");
  const text = await summary(two, changed);
  expect(text).toContain("@@ -12 +12 @@\n-            maximum: 100\n+            maximum: 50\n```");
  expect(text).toContain("@@ -13 +13 @@\n-            minimum: 1\n+            minimum: 2\n```");
  const commented = two.replace("paths:", "# one\n# two\npaths:");
  const [, others] = (
    await summary(commented, commented.replace("# one\n# two", "# three\n# four").replace("100", "50"))
  ).split("### Other");
  expect(others).toContain("@@ -3,2 +3,2 @@\n-# one\n-# two\n+# three\n+# four\n");
});

test("equal changes of several operations are one entry", async () => {
  const twice = BOOKS.replace("    delete:", "    put:").replace(
    '"204":\n          description: Gone.',
    '"200":\n          $ref: "#/paths/~1books/get/responses/200"',
  );
  const text = await summary(twice, twice.replace("[new, old]", "[new]"));
  expect(text).toContain("<code>GET /books</code>, <code>PUT /books</code>: Response 200: the value");
});

test("text of the contract neither ends a fence, nor becomes HTML, a link or a heading", async () => {
  const hostile = "'``` ~~~ </details><script>alert(1)</script> [x](https://evil.test) ![y](z) # h @all \u202e\u0085'";
  const changed = BOOKS.replace("[new, old]", `[new, old, ${hostile}]`).replace("limit", "'`</code>*_<b>|'");
  const text = await summary(BOOKS, changed);
  const outside = text.replaceAll(/^(`{3,})diff\n[^]*?\n\1$/gm, "");
  expect(outside).toContain("&#60;script&#62;");
  expect(outside).not.toMatch(/<(?!\/?code>)|`(?![\w$-]+`)|\[|[*_|#@](?<!^#+)(?<!&#)(?!#* )/m);
  expect(text).toContain("````diff\n");
  expect(text).not.toMatch(/[\u0085\u202e]/);
});

test("long differences are collapsed and cut, and a summary has at most 768 KiB", async () => {
  const values = (count: number) => Array.from({ length: count }, (_, index) => `        - value${index}\n`).join("");
  const long = await summary(BOOKS, BOOKS.replace(" [new, old]\n", `\n${values(1_000)}`));
  expect(long).toContain("<details><summary>1003 lines</summary>\n\n```diff\n");
  expect(long).toContain("@@ and 803 more lines @@\n```\n\n</details>");
  const parameters = Array.from({ length: 1_500 }, (_, index) => {
    return `        - { name: p${index}, in: query, schema: { type: string, maxLength: 5, pattern: ^${"a".repeat(280)}$ } }\n`;
  }).join("");
  const wide = BOOKS.replace("      parameters:\n", `      parameters:\n${parameters}`);
  const many = await summary(wide, wide.replaceAll("maxLength: 5", "maxLength: 4"));
  expect(Buffer.byteLength(many)).toBeLessThan(768 * 1024 + 200);
  expect(many).toMatch(/\nThe summary ends here\. `contract diff` lists every change\.\n$/);
});

async function summary(before: string, after: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "markdown-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "openapi.yaml");
  await writeFile(file, after);
  const document = parse(before) as OpenAPI3;
  const changes = await contractChanges(document, parse(after) as OpenAPI3, file);
  const hunks = await hunksBetween(before, after);
  return formatMarkdown(
    changes,
    hunks,
    changedLines({ text: before, document }, { text: after, file: relative(ROOT, file) }, hunks),
  );
}
