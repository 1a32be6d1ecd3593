import { contractProblems } from "openapi-contract/lint";
import { isMap, parseDocument } from "yaml";

/** A rule that the contract does not meet yet, and the number of places. */
export interface UnmetRule {
  rule: string;
  places: number;
}

/**
 * Lints a contract with the house rules of a configuration. Returns the rules that it does not meet, most places first, and the
 * configuration with these as warnings.
 */
export async function lintLevels(
  contract: string,
  { path, text }: { path: string; text: string },
): Promise<{ unmet: UnmetRule[]; config: string }> {
  const problems = (await contractProblems(contract, path)).map(({ rule, ...problem }) => {
    if (rule !== undefined) return rule;
    throw new Error(
      `The contract cannot be linted. ${problem.file}:${problem.line}:${problem.column}  ${problem.message}`,
    );
  });
  const unmet = Array.from(
    Map.groupBy(problems, (rule) => rule),
    ([rule, places]) => ({ rule, places: places.length }),
  ).toSorted((one, other) => other.places - one.places);
  const document = parseDocument(text);
  for (const { rule } of unmet) {
    if (isMap(document.getIn(["rules", rule]))) document.setIn(["rules", rule, "severity"], "warn");
    else document.setIn(["rules", rule], "warn");
  }
  return { unmet, config: document.toString({ lineWidth: 120 }) };
}
