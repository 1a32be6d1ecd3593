import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isMap, parseDocument } from "yaml";

/** A rule that the contract does not meet yet, and the number of places. */
export interface UnmetRule {
  rule: string;
  places: number;
}

/**
 * Lints the contract with the house rules. Rules that it does not meet become warnings in \`openapi/redocly.yaml\`, most places
 * first in the result.
 */
export function proposeLintLevels(root: string): UnmetRule[] {
  const config = join(root, "openapi/redocly.yaml");
  const problems = lint(root).filter(({ severity }) => severity === "error");
  const unmet = Array.from(
    Map.groupBy(problems, ({ ruleId }) => ruleId),
    ([rule, places]) => ({ rule, places: places.length }),
  ).toSorted((one, other) => other.places - one.places);
  const document = parseDocument(readFileSync(config, "utf8"));
  for (const { rule } of unmet) {
    if (isMap(document.getIn(["rules", rule]))) document.setIn(["rules", rule, "severity"], "warn");
    else document.setIn(["rules", rule], "warn");
  }
  writeFileSync(config, document.toString({ lineWidth: 120 }));
  return unmet;
}

/** The parts of Redocly's report in use. */
interface Problem {
  ruleId: string;
  severity: "error" | "warn";
}

function lint(root: string): Problem[] {
  const program = join(root, "packages/contract-tools/node_modules/@redocly/cli/bin/cli.js");
  const args = [
    "lint",
    "--config",
    "openapi/redocly.yaml",
    "--format",
    "json",
    "--max-problems",
    "1000000",
    "openapi/openapi.yaml",
  ];
  const env = { ...process.env, NO_COLOR: "1", REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  const options = { cwd: root, env, encoding: "utf8", maxBuffer: 2 ** 30, stdio: "pipe" } as const;
  let output: string;
  try {
    output = execFileSync(process.execPath, [program, ...args], options);
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    if (!stdout.startsWith("{")) throw new Error(`The contract cannot be linted. ${stderr.trim()}`, { cause: error });
    output = stdout;
  }
  return (JSON.parse(output) as { problems: Problem[] }).problems;
}
