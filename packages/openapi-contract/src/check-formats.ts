import { entriesOf } from "./comparison/entries.ts";
import { annotation, changeData, entryAnnotation, entryLines, ofContract, titled } from "./output.ts";
import type { Check, Finding } from "./release/check.ts";

const FORMATS = { text: asText, json: asJson, github: asAnnotations, sarif: asSarif, junit: asJunit };

/** The formats of checks. */
export const CHECK_FORMATS = Object.keys(FORMATS) as CheckFormat[];
export type CheckFormat = keyof typeof FORMATS;

/** Formats the results of the checks: as text for people, or for programs that read JSON, SARIF, JUnit's XML or annotations of GitHub. */
export function formatChecks(checks: Check[], format: CheckFormat): string {
  return FORMATS[format](checks);
}

export function hasPassed({ findings }: Check): boolean {
  return findings.length === 0;
}

function asText(checks: Check[]): string {
  return checks
    .map((check) => {
      const status = hasPassed(check) ? `ok      ${check.name}: ${check.passed}` : `failed  ${check.name}`;
      const lines = [...check.findings, ...(check.warnings ?? [])].flatMap((finding) => [
        `${where(finding)}${ruled(finding)}`,
        ...(finding.frame ?? []),
      ]);
      const changes = hasPassed(check) ? [] : (check.changes ?? []);
      return [
        status,
        ...lines.map((line) => `          ${line}`),
        ...entriesOf(changes).flatMap((entry) => entryLines(entry)),
      ].join("\n");
    })
    .join("\n");
}

function asJson(checks: Check[]): string {
  const data = checks.map((check) => ({ ...check, ...(check.changes && { changes: check.changes.map(changeData) }) }));
  return JSON.stringify({ passed: checks.every(hasPassed), checks: data }, null, 2);
}

function asAnnotations(checks: Check[]): string {
  const annotations = findingsOf(checks).map(({ level, title, finding }) =>
    annotation(level, { ...finding, title, message: ruled(finding) }),
  );
  const entries = checks.flatMap((check) =>
    entriesOf(hasPassed(check) ? [] : (check.changes ?? [])).map((entry) => ofContract(entry, check.contract)),
  );
  return [...annotations, ...entries.map(entryAnnotation)].join("\n");
}

/** SARIF 2.1.0, which editors and code scanning read: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html */
function asSarif(checks: Check[]): string {
  const results = findingsOf(checks).map(({ level, title, finding: { message, rule = title, at } }) => ({
    ruleId: rule,
    level,
    message: { text: message },
    ...(at && {
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: encodeURI(at.file.replaceAll("\\", "/")) },
            region: { startLine: at.line, startColumn: at.column },
          },
        },
      ],
    }),
  }));
  const rules = Array.from(new Set(results.map(({ ruleId }) => ruleId)), (id) => ({ id }));
  const runs = [{ tool: { driver: { name: "openapi-contract", rules } }, results }];
  return JSON.stringify({ $schema: "https://json.schemastore.org/sarif-2.1.0.json", version: "2.1.0", runs }, null, 2);
}

/** A test case for each check, and one for each finding: https://github.com/testmoapp/junitxml */
function asJunit(checks: Check[]): string {
  const cases = checks.flatMap(({ name: check, contract, findings, warnings = [] }) => {
    const name = titled(check, contract);
    const printed = warnings.map((finding) => `${where(finding)}${ruled(finding)}`).join("\n");
    const output = printed === "" ? "" : `\n    <system-out>${xml(printed)}</system-out>`;
    if (findings.length === 0)
      return [`  <testcase classname="openapi-contract" name="${xml(name)}">${output}</testcase>`];
    return findings.map((finding) => {
      const failure = `<failure message="${xml(finding.message)}">${xml(where(finding) + ruled(finding))}</failure>`;
      return `  <testcase classname="openapi-contract.${xml(name)}" name="${xml(finding.rule ?? name)}">\n    ${failure}</testcase>`;
    });
  });
  const failures = checks.reduce((sum, { findings }) => sum + findings.length, 0);
  const suite = `<testsuite name="openapi-contract" tests="${cases.length}" failures="${failures}">`;
  return ['<?xml version="1.0" encoding="UTF-8"?>', suite, ...cases, "</testsuite>"].join("\n");
}

function findingsOf(checks: Check[]) {
  const all = (level: "error" | "warning", findings: Finding[], title: string) =>
    findings.map((finding) => ({ level, title, finding }));
  return [
    ...checks.flatMap(({ name, contract, findings }) => all("error", findings, titled(name, contract))),
    ...checks.flatMap(({ name, contract, warnings = [] }) => all("warning", warnings, titled(name, contract))),
  ];
}

function where({ at }: Finding): string {
  return at === undefined ? "" : `${at.file}:${at.line}  `;
}

function ruled({ message, rule }: Finding): string {
  return rule === undefined ? message : `${message} (${rule})`;
}

/** Escapes a text, and leaves out characters that XML 1.0 cannot have (section 2.2). */
function xml(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "")
    .replaceAll(/[&<>"]/g, (character) => `&#${character.codePointAt(0)!};`);
}
