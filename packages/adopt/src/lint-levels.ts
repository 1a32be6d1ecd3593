import { readFileSync, writeFileSync } from "node:fs";
import { CONTRACT_FILE, LINT_CONFIG, redocly } from "@platform/contract-tools/redocly";
import { isMap, parseDocument } from "yaml";

/** A rule that the contract does not meet yet, and the number of places. */
export interface UnmetRule {
  rule: string;
  places: number;
}

/**
 * Lints the contract with the house rules. Rules that it does not meet become warnings in `openapi/redocly.yaml`, most places
 * first in the result.
 */
export async function proposeLintLevels(): Promise<UnmetRule[]> {
  const problems = (await lint()).filter(({ severity }) => severity === "error");
  const unmet = Array.from(
    Map.groupBy(problems, ({ ruleId }) => ruleId),
    ([rule, places]) => ({ rule, places: places.length }),
  ).toSorted((one, other) => other.places - one.places);
  const document = parseDocument(readFileSync(LINT_CONFIG, "utf8"));
  for (const { rule } of unmet) {
    if (isMap(document.getIn(["rules", rule]))) document.setIn(["rules", rule, "severity"], "warn");
    else document.setIn(["rules", rule], "warn");
  }
  writeFileSync(LINT_CONFIG, document.toString({ lineWidth: 120 }));
  return unmet;
}

/** The parts of Redocly's report in use. */
interface Problem {
  ruleId: string;
  severity: "error" | "warn";
}

async function lint(): Promise<Problem[]> {
  const limit = ["--max-problems", "1000000"];
  const { stdout, stderr } = await redocly([
    "lint",
    "--config",
    LINT_CONFIG,
    "--format",
    "json",
    ...limit,
    CONTRACT_FILE,
  ]);
  if (!stdout.startsWith("{")) throw new Error(`The contract cannot be linted. ${stderr.trim()}`);
  return (JSON.parse(stdout) as { problems: Problem[] }).problems;
}
