import { readFileSync, writeFileSync } from "node:fs";
import { contractProblems } from "@platform/contract-tools/lint";
import { CONTRACT_FILE, LINT_CONFIG } from "@platform/contract-tools/paths";
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
  const problems = (await contractProblems(CONTRACT_FILE)).map(({ rule, ...problem }) => {
    if (rule !== undefined) return rule;
    throw new Error(
      `The contract cannot be linted. ${problem.file}:${problem.line}:${problem.column}  ${problem.message}`,
    );
  });
  const unmet = Array.from(
    Map.groupBy(problems, (rule) => rule),
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
