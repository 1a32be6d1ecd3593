import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryFiles, root } from "@platform/test-support/clone";
import ts from "typescript-with-api";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";

const read = (file: string): string => readFileSync(join(root, file), "utf8");

const PAGE = read("apps/server/docs/troubleshooting.md");
const RULES = read("apps/server/monitoring/alerts.yaml");
const SOURCES = repositoryFiles(
  "apps/server/bin",
  "apps/server/src",
  ...["api-keys", "command-line", "service", "storage", "tokens"].map((name) => `packages/${name}/src`),
);
const PARSED = SOURCES.filter((file) => file.endsWith(".ts")).map((file) =>
  ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true),
);

/** Returns the rows of the tables in a section, with the sections below it; each row as its cells. */
function rowsOf(heading: string): string[][] {
  const [, level = ""] = new RegExp(`^(#+) ${heading}$`, "m").exec(PAGE) ?? [];
  const after = PAGE.split(`\n${level} ${heading}\n`)[1]!;
  const section = after.split(new RegExp(`^#{1,${level.length}} `, "m"))[0]!;
  return Array.from(section.matchAll(/^\| (.*) \|$/gm), ([, row]) => row!.split(" | ")).filter(
    ([first]) => !/^(---|alert|check|code|message|message in `err`|response|you see)$/.test(first!),
  );
}

const codeIn = (text: string): string[] => text.match(/(?<=`)[^`]+(?=`)/g) ?? [];

describe("alerts", () => {
  const rules = (parse(RULES) as { groups: { rules: { alert?: string }[] }[] }).groups.flatMap((group) => group.rules);

  test("each rule has one row, and each row is about a rule", () => {
    const alerts = rules.flatMap(({ alert }) => alert ?? []);
    expect(rowsOf("Alerts").map(([alert]) => codeIn(alert!)[0])).toEqual(expect.arrayContaining(alerts));
    expect(rowsOf("Alerts")).toHaveLength(alerts.length);
  });
});

describe("doctor", () => {
  test("each finding with a remedy has one row, and each row is about such a finding", () => {
    const findings = new Set(PARSED.flatMap(findingsOf));
    expect(findings.size).toBeGreaterThan(10);
    const rows = rowsOf("Findings of doctor").map(([, finding]) => codeIn(finding!)[0]!);
    expect(rows.toSorted()).toEqual([...findings].toSorted());
  });
});

describe("503", () => {
  test("each place in the source that causes one is known here, with the text of its row", () => {
    /** The files that make the Problem, and a text of their rows. */
    const places: Record<string, string> = {
      "packages/service/src/http/stages.ts": "`MAX_IN_FLIGHT`", // `FULL`
      "packages/service/src/http/express-handlers.ts": "`the database cannot be used` in the log",
      "packages/service/src/service-app.ts": "`The service is stopping.`",
      "packages/service/src/tokens/verify-token.ts": "tokens of an issuer",
    };
    const found = PARSED.flatMap((file) => nodesOf(file, isUnavailable).map(() => file.fileName));
    expect(found.toSorted()).toEqual(Object.keys(places).toSorted());
    const rows = rowsOf("Requests fail").map((row) => row.join(" | "));
    expect(Object.values(places).filter((text) => !rows.some((row) => row.includes(text)))).toEqual([]);
  });

  test("each reason of an outage that requests may meet has a row", () => {
    const reasons = PARSED.filter(({ fileName }) => !/\/(maintenance|migrations)/.test(fileName)).flatMap(reasonsOf);
    expect(reasons.length).toBeGreaterThan(8);
    const rows = rowsOf("The database cannot be used").flatMap(([message]) => codeIn(message!));
    expect(reasons.filter((reason) => !rows.some((row) => reason.includes(row)))).toEqual([]);
  });

  test("each code of an outage has a row, and each row is about such a code", () => {
    const source = read("packages/storage/src/database-error.ts");
    const [, sqlite = ""] = /\^SQLITE_\(([A-Z|]+)\)/.exec(source)!;
    const [, postgres = ""] = /\^\((08[^)]*)\)/.exec(source)!;
    const codes = [...sqlite.split("|").map((code) => `SQLITE_${code}`), ...postgres.split("|").flatMap(expanded)];
    const rows = rowsOf("The database cannot be used").flatMap(([code]) => codeIn(code!));
    const named = rows.filter((code) => /^(SQLITE_[A-Z]+|[\dA-Z]{2,5})$/.test(code));
    expect(named.toSorted()).toEqual(codes.toSorted());
  });

  test("each message of /readyz has a row", () => {
    const messages = PARSED.filter(({ fileName }) => /\/(outage|service-app)\.ts$/.test(fileName))
      .flatMap((file) => nodesOf(file, ts.isStringLiteral).map(({ text }) => text))
      .filter((text) => /^The .*\.$/.test(text));
    const rows = rowsOf("`/readyz` is 503").map(([message]) => codeIn(message!)[0]!);
    expect(rows.toSorted()).toEqual(messages.toSorted());
  });
});

test("the source contains each message of the other tables", () => {
  const source = [...SOURCES.map(read), RULES].join("\n");
  const rows = ["Requests fail", "The start fails", "Other lines of the log", "Commands fail"].flatMap(rowsOf);
  const messages = rows.flatMap(([symptom]) => codeIn(symptom!)).filter((text) => !/^[\dA-Z]{2,5}$/.test(text));
  expect(messages.length).toBeGreaterThan(30);
  expect(messages.filter((message) => !isIn(source, message))).toEqual([]);
});

/** Whether the source has a message, of which `SQLITE_…` is put together from a pattern. */
function isIn(source: string, message: string): boolean {
  return source.includes(message.replace(/^SQLITE_/, ""));
}

/** `25P0[34]` stands for two codes. */
function expanded(pattern: string): string[] {
  const [, begin, letters] = /^(\w+)\[(\w+)\]$/.exec(pattern) ?? [];
  return begin === undefined ? [pattern] : Array.from(letters!, (letter) => begin + letter);
}

/** Returns the nodes of a kind in a file. */
function nodesOf<Kind extends ts.Node>(file: ts.Node, isKind: (node: ts.Node) => node is Kind): Kind[] {
  const found: Kind[] = [];
  const visit = (node: ts.Node): void => {
    if (isKind(node)) found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Whether a node makes the Problem of 503: `problem("unavailable", …)` or `new Problem(ERRORS.unavailable.status, …)`. */
function isUnavailable(node: ts.Node): node is ts.CallExpression | ts.NewExpression {
  if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return false;
  return /^(new Problem|problem)\(\s*("unavailable"|ERRORS\.unavailable)/.test(node.getText());
}

/** Returns the text of a string or template, with `…` for each expression; undefined for other nodes. */
function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join("");
}

/** Returns the findings that have a remedy. Throws for a remedy whose finding is written in another way. */
function findingsOf(file: ts.SourceFile): string[] {
  const isRemedy = (node: ts.Node): node is ts.ObjectLiteralElementLike | ts.BinaryExpression =>
    (ts.isObjectLiteralElementLike(node) && node.name?.getText() === "remedy") ||
    (ts.isBinaryExpression(node) && /^\w+\.remedy =\s/.test(node.getText()));
  return nodesOf(file, isRemedy).flatMap((remedy) => {
    const found = ts.isBinaryExpression(remedy) ? foundInBlock(remedy) : foundInObject(remedy.parent);
    if (found !== undefined) return [found.replace(/^[, ]+/, "")];
    if (/\b(state|risk):/.test(remedy.parent.getText())) return []; // the remedy of an error of SQLite, or of a restore
    throw new Error(`${file.fileName}: no finding beside ${remedy.getText()}`);
  });
}

/** The finding in an object such as `{ found: "none", remedy }`, or in the variable that `found` names. */
function foundInObject(object: ts.Node): string | undefined {
  if (!ts.isObjectLiteralExpression(object)) return undefined;
  const property = object.properties.find((own) => own.name?.getText() === "found");
  if (property === undefined) return undefined;
  if (ts.isPropertyAssignment(property)) return textOf(property.initializer);
  for (let scope: ts.Node = object; scope !== undefined; scope = scope.parent) {
    if (!ts.isBlock(scope)) continue;
    const own = scope.statements.filter(ts.isVariableStatement).flatMap((one) => one.declarationList.declarations);
    const variable = own.find(({ name }) => name.getText() === "found");
    if (variable?.initializer !== undefined) return textOf(variable.initializer);
  }
  return undefined;
}

/** The finding in a statement such as `database.found += "…"` beside `database.remedy = "…"`. */
function foundInBlock(remedy: ts.BinaryExpression): string | undefined {
  const additions = nodesOf(remedy.parent.parent, ts.isBinaryExpression);
  const addition = additions.find(({ left }) => left.getText().endsWith(".found"));
  return addition && textOf(addition.right);
}

/** Returns the messages of `DatabaseError`s, and the states of a file in such messages. */
function reasonsOf(file: ts.SourceFile): string[] {
  const isError = (node: ts.Node): node is ts.NewExpression =>
    ts.isNewExpression(node) && node.expression.getText() === "DatabaseError";
  const isState = (node: ts.Node): node is ts.PropertyAssignment =>
    ts.isPropertyAssignment(node) && node.name.getText() === "state" && node.parent.getText().includes("remedy:");
  const isSuper = (node: ts.Node): node is ts.CallExpression =>
    ts.isCallExpression(node) &&
    node.expression.kind === ts.SyntaxKind.SuperKeyword &&
    /extends DatabaseError/.test(file.text) &&
    node.arguments[0] !== undefined;
  return [
    ...nodesOf(file, isError).map(({ arguments: [message] = [] }) => textOf(message!) ?? ""),
    ...nodesOf(file, isSuper).map(({ arguments: [message] }) => textOf(message!) ?? ""),
    ...nodesOf(file, isState).map(({ initializer }) => textOf(initializer)!),
  ].filter((reason) => !reason.startsWith("The database file … … (…)")); // its second part is the state
}
