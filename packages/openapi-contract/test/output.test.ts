import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { BundledDocument } from "../src/bundle.ts";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { type Impact, mostSevere } from "../src/comparison/changes.ts";
import { type ContractChange, contractChanges } from "../src/comparison/compare.ts";
import { formatChecks } from "../src/check-formats.ts";
import { entriesOf } from "../src/comparison/entries.ts";
import { formatEntryReports } from "../src/contract-reports.ts";
import { formatEntries, type ReportOptions } from "../src/output.ts";
import type { Check } from "../src/release/check.ts";
import { compareVersions, parseVersion, versionAfter } from "../src/release/released.ts";

const AT = { file: "openapi/openapi.yaml", line: 7, column: 3 };
const BREAKING: ContractChange = { impact: "breaking", place: "GET /pets", message: "It is removed.", at: AT };
const ADDITIVE: ContractChange = { impact: "additive", place: "GET /dogs", message: "It is added." };

const PASSED: Check = { name: "lint", passed: "all rules pass", findings: [], changes: [ADDITIVE] };
const FAILED: Check = {
  name: "compatibility",
  passed: "",
  findings: [{ message: "Raise it." }, { message: "Line 1,\r\n50%: mend it.", at: AT }],
  changes: [BREAKING, ADDITIVE],
};
const WARNED: Check = { name: "schemas", passed: "1 schema", findings: [], warnings: [{ message: "Slow." }] };

describe("formatChecks formats findings", () => {
  test("as text", () => {
    expect(
      formatChecks([PASSED, WARNED, FAILED, { name: "examples", passed: "", findings: [{ message: "No." }] }], "text"),
    ).toBe(`ok      lint: all rules pass
ok      schemas: 1 schema
          Slow.
failed  compatibility
          Raise it.
          openapi/openapi.yaml:7  Line 1,\r
50%: mend it.
          breaking      GET /pets: It is removed. (openapi/openapi.yaml:7)
          additive      GET /dogs: It is added.
failed  examples
          No.`);
  });

  test("as JSON", () => {
    expect(JSON.parse(formatChecks([PASSED, FAILED], "json"))).toEqual({ passed: false, checks: [PASSED, FAILED] });
    expect(formatChecks([PASSED], "json")).toBe(JSON.stringify({ passed: true, checks: [PASSED] }, null, 2));
  });

  test("as annotations of a pull request, with escaped line ends and separators", () => {
    const named: Check = {
      name: "lint",
      passed: "",
      findings: [{ message: "a", rule: "b", at: { file: "a:b,c", line: 1, column: 1 } }],
    };
    expect(formatChecks([PASSED, WARNED, FAILED, named], "github")).toBe(
      [
        "::error title=compatibility::Raise it.",
        "::error file=openapi/openapi.yaml,line=7,title=compatibility::Line 1,%0D%0A50%25: mend it.",
        "::error file=a%3Ab%2Cc,line=1,title=lint::a (b)",
        "::warning title=schemas::Slow.",
        "::error file=openapi/openapi.yaml,line=7,title=breaking::GET /pets: It is removed.",
        "::notice title=additive::GET /dogs: It is added.",
      ].join("\n"),
    );
  });
});

describe("formatChecks formats for programs", () => {
  const named: Check = {
    name: "lint",
    passed: "",
    findings: [{ message: '<"&>\u0000', rule: "struct", at: { file: "a b.yaml", line: 2, column: 3 } }],
    warnings: [{ message: "Slow.", rule: "slow" }],
  };

  test("SARIF, with a result for each finding", () => {
    expect(JSON.parse(formatChecks([PASSED, named], "sarif"))).toMatchObject({
      version: "2.1.0",
      runs: [
        {
          tool: { driver: { name: "openapi-contract", rules: [{ id: "struct" }, { id: "slow" }] } },
          results: [
            {
              ruleId: "struct",
              level: "error",
              locations: [
                {
                  physicalLocation: {
                    artifactLocation: { uri: "a%20b.yaml" },
                    region: { startLine: 2, startColumn: 3 },
                  },
                },
              ],
            },
            { ruleId: "slow", level: "warning", message: { text: "Slow." } },
          ],
        },
      ],
    });
  });

  test("JUnit's XML, with a failure for each finding, and without characters that XML cannot have", () => {
    expect(formatChecks([PASSED, named], "junit")).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="openapi-contract" tests="2" failures="1">
  <testcase classname="openapi-contract" name="lint"></testcase>
  <testcase classname="openapi-contract.lint" name="struct">
    <failure message="&#60;&#34;&#38;&#62;">a b.yaml:2  &#60;&#34;&#38;&#62; (struct)</failure></testcase>
</testsuite>`);
  });
});

describe("formatEntries formats the entries of changes", () => {
  test("as text", () => {
    expect(formatEntries(entriesOf([]), "text")).toBe("The contract has not changed.");
    expect(formatEntries(entriesOf([BREAKING, ADDITIVE]), "text")).toBe(
      [
        "          breaking      GET /pets: It is removed. (openapi/openapi.yaml:7)",
        "          additive      GET /dogs: It is added.",
      ].join("\n"),
    );
  });

  test("as text, in which a name cannot begin a line", () => {
    const change = { ...ADDITIVE, message: 'Field "a\r\n::error::b" is added.' };
    expect(formatEntries(entriesOf([change]), "text")).toBe(
      '          additive      GET /dogs: Field "a\\r\\n::error::b" is added.',
    );
  });

  test("as JSON and as annotations", () => {
    const entries = [{ ...ADDITIVE, changes: [ADDITIVE] }];
    expect(JSON.parse(formatEntries(entriesOf([ADDITIVE]), "json"))).toEqual({ entries });
    expect(formatEntries(entriesOf([]), "github")).toBe("");
    expect(formatEntries(entriesOf([ADDITIVE, BREAKING]), "github")).toBe(
      [
        "::error file=openapi/openapi.yaml,line=7,title=breaking::GET /pets: It is removed.",
        "::notice title=additive::GET /dogs: It is added.",
      ].join("\n"),
    );
  });
});

test("the most severe impact is breaking, then additive", () => {
  expect(mostSevere(["documentation", "additive", "breaking"])).toBe("breaking");
  expect(mostSevere(["documentation", "additive"])).toBe("additive");
  expect(mostSevere(["documentation"])).toBe("documentation");
  expect(mostSevere([])).toBeUndefined();
});

test.each<[Impact, string]>([
  ["breaking", "2.0.0"],
  ["additive", "1.3.0"],
  ["documentation", "1.2.4"],
])("after 1.2.3, a change with the impact %s requires %s", (impact, version) => {
  expect(versionAfter([1, 2, 3], impact)).toBe(version);
});

test("versions have three numbers, and are ordered by the first different number", () => {
  expect(["10.20.30", "1.2.3.4", "v1.2.3", "1.2", "1.2.x", ".2.3"].map(parseVersion)).toEqual([
    [10, 20, 30],
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(compareVersions([2, 0, 0], [1, 9, 9])).toBeGreaterThan(0);
  expect(compareVersions([1, 2, 0], [1, 10, 0])).toBeLessThan(0);
  expect(compareVersions([1, 2, 3], [1, 2, 2])).toBe(1);
  expect(compareVersions([1, 2, 3], [1, 2, 3])).toBe(0);
});

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
    .replace(/Noted\.\n/, "Noted.\n          headers: { Receipt: { required: true, schema: { type: string } } }\n");
  expect(await summary(BOOKS, changed)).toBe(`## The contract changes: 5 breaking, 1 documentation

### Breaking: clients must change

#### Senders of requests

<code>GET /books</code>: Query parameter "limit": \`maximum\` changes from 100 to 50. Narrows the request: the service rejects requests that clients may send today. (openapi.yaml:12)

\`\`\`diff
@@ get/parameters/query limit/schema @@
- maximum: 100
+ maximum: 50
\`\`\`

<code>DELETE /books</code>: The operation is removed. Clients that call it get 404 or 405.

#### Readers of responses

<code>GET /books</code>: Response 200: the value "lost" is added. Widens the response: clients may not understand the new values. (openapi.yaml:23)

\`\`\`diff
@@ components/schemas/Shelf @@
    - new
    - old
+   - lost
\`\`\`

#### Implementers of webhooks and callbacks

<code>webhooks/sold</code>: Response 204, header "Receipt" is added and required. Narrows the reply: the service rejects replies that clients may send today. (openapi.yaml:30)

#### Consumers of the client: names and types

<code>GET /books</code>: The operationId changes from "listBooks" to "findBooks". Calls in generated clients use this name. (openapi.yaml:6)

\`\`\`diff
@@ paths//books/get @@
- operationId: listBooks
+ operationId: findBooks
\`\`\`

### Documentation

<code>GET /books</code>: \`description\` of responses/200 changes. A description promises nothing. (openapi.yaml:15)
`);
});

test("the same contract has no changes", async () => {
  expect(await summary(BOOKS, BOOKS)).toBe("## The contract has not changed\n");
});

test("text of the contract becomes neither HTML, a link nor a heading", async () => {
  const hostile = "'``` ~~~ </details><script>alert(1)</script> [x](https://evil.test) ![y](z) # h @all \u202e\u0085'";
  const changed = BOOKS.replace("[new, old]", `[new, old, ${hostile}]`).replace("limit", "'`</code>*_<b>|'");
  const report = await summary(BOOKS, changed);
  const [, hunk] = /^(`{4,})diff\n[^]*?\n\1$/m.exec(report)!;
  const text = report.replaceAll(/^(`{3,})diff\n[^]*?\n\1$/gm, "");
  expect(hunk).toBe("````");
  expect(text).toContain("&#60;script&#62;");
  expect(text).not.toMatch(/<(?!\/?code>)|`(?![\w$-]+`)|\[|[*_|#@](?<!^#+)(?<!&#)(?!#* )/m);
  expect(report).not.toMatch(/[\u0085\u202e]/);
});

describe("a summary that is too long for a comment", () => {
  const parameters = Array.from({ length: 300 }, (_, index) => {
    return `        - { name: p${index}${"a".repeat(100)}, in: query, schema: { type: string, maxLength: 5 } }\n`;
  }).join("");
  const wide = BOOKS.replace("      parameters:\n", `      parameters:\n${parameters}`);
  const changed = wide.replaceAll("maxLength: 5", "maxLength: 4").replace("The books", "All books");

  test("ends after a whole entry, and tells what is left out and where it is", async () => {
    const text = await summary(wide, changed, { rest: "report.md" });
    expect(text.length).toBeGreaterThan(64_000);
    expect(text.length).toBeLessThanOrEqual(65_000);
    const [, left] = /```\n\nThe report ends here\. Left out: (\d+) breaking\. They are in report\.md\.\n$/.exec(text)!;
    expect(text.match(/^<code>GET \/books/gm)!.length + Number(left)).toBe(300);
    expect(await summary(wide, changed)).toMatch(/`--output report\.md` writes .+\n$/);
  });

  test("is no longer than any limit, and is whole if it fits", () => {
    const removed = Array.from({ length: 12 }, (_, index) => ({
      ...BREAKING,
      message: `It is removed from ${index}.`,
    }));
    const entries = entriesOf([...removed, ADDITIVE]);
    const report = (maxLength = Infinity) => formatEntries(entries, "markdown", { maxLength });
    const whole = report();
    for (let limit = report(0).length; limit < whole.length; limit++) {
      expect(report(limit)).toContain("The report ends here");
      expect(report(limit).length).toBeLessThanOrEqual(limit);
    }
    expect(report(whole.length)).toBe(whole);
  });

  test("is no longer either of several contracts, of which a short one is whole", () => {
    const removed = Array.from({ length: 40 }, (_, index) => ({
      ...BREAKING,
      message: `It is removed from ${index}.`,
    }));
    const [long, short] = [entriesOf(removed), entriesOf([ADDITIVE])];
    const reports = [
      ...["A", "B"].map((name) => ({ name, items: [...long] })),
      { name: "C", items: short },
      { name: "D", items: [] },
    ];
    const report = formatEntryReports(reports, "markdown", { maxLength: 2000 });
    expect(report.length).toBeLessThanOrEqual(2000);
    expect(report.length).toBeGreaterThan(1800);
    expect(report.match(/The report ends here/g)).toHaveLength(2);
    expect(report).toContain(`# C\n\n${formatEntries(short, "markdown")}`);
  });

  test("is whole in a file", async () => {
    const text = await summary(wide, changed, { isWhole: true });
    expect(text.match(/^<code>GET \/books/gm)).toHaveLength(300);
    expect(text).not.toContain("The report ends here");
  });
});

/** Returns the summary of the changes to a contract in a file that is called `openapi.yaml` in messages. */
async function summary(before: string, after: string, options: ReportOptions = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "markdown-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "openapi.yaml");
  await writeFile(file, after);
  const changes = await contractChanges(parse(before) as BundledDocument, parse(after) as BundledDocument, file);
  const named = changes.map(({ at, ...change }) => ({
    ...change,
    ...(at && { at: { ...at, file: basename(at.file) } }),
  }));
  return formatEntries(entriesOf(named), "markdown", options);
}
