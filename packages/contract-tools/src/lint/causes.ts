import type { NormalizedProblem } from "@redocly/openapi-core";

/** Returns the problems without those that only follow from another one. */
export function causesOf(problems: NormalizedProblem[]): NormalizedProblem[] {
  const isBroken = problems.some(({ ruleId }) => ruleId === "struct" || ruleId === "no-unresolved-refs");
  const unreadable = parseFailures(problems);
  const misspelt = new Set(problems.flatMap(intendedPlaces));
  const seen = new Set<string>();
  return problems.filter((problem) => {
    const { ruleId, message, location } = problem;
    if (unreadable.some((reason) => message === `Can't resolve $ref: ${reason}`)) return false;
    if (isBroken && (ruleId === "no-unused-components" || message.startsWith("Example validation errored:")))
      return false;
    if (missingPlaces(problem).some((place) => misspelt.has(place))) return false;
    const key = JSON.stringify([ruleId, message, location.map((at) => placeOf(at))]);
    return !seen.has(key) && seen.add(key);
  });
}

/** The syntax errors of files that the contract refers to. Each reference to such a file is reported too. */
function parseFailures(problems: NormalizedProblem[]): string[] {
  return problems.flatMap(({ message }) => /^Failed to parse: (.*)$/s.exec(message)?.[1] ?? []);
}

/** The place that a misspelt key would have, such as `operationID`. A rule that requires the key reports it as missing. */
function intendedPlaces({ ruleId, suggest, location: [at] }: NormalizedProblem): string[] {
  if (ruleId !== "struct" || at?.pointer === undefined) return [];
  const parent = at.pointer.slice(0, at.pointer.lastIndexOf("/"));
  return suggest.map((key) => `${at.source.absoluteRef}${parent}/${key}`);
}

function missingPlaces({ ruleId, message, location: [at] }: NormalizedProblem): string[] {
  if (at === undefined) return [];
  const [, key] = (ruleId === "struct" && /^The field `(.+)` must be present/.exec(message)) || [];
  return [key === undefined ? placeOf(at) : `${placeOf(at)}/${key}`];
}

function placeOf({ source, pointer, ...at }: NormalizedProblem["location"][number]): string {
  return source.absoluteRef + (pointer ?? JSON.stringify(at));
}
