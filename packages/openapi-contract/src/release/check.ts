import { bundle, type BundledDocument } from "../bundle.ts";
import { type ContractChange, contractChanges } from "../comparison/compare.ts";
import { type ContractProblem, lint, rulesFor } from "../lint/lint.ts";
import { mostSevere } from "../comparison/changes.ts";
import { decisionsBeside, staleApprovals } from "../comparison/decisions.ts";
import { compareVersions, lastReleased, parseVersion, releasedBeside, versionAfter } from "./released.ts";

/** A fault to correct before the contract may be merged. */
export interface Finding {
  message: string;
  /** Line and column begin with 1. */
  at?: { file: string; line: number; column: number };
  /** The rule of the lint that is broken. */
  rule?: string;
  /** The lines around the place. */
  frame?: string[];
}

/** One check of the contract with its findings; a check without findings has passed. */
export interface Check {
  /** The name of the contract, if it is one of a list. */
  contract?: string;
  name: string;
  passed: string;
  findings: Finding[];
  /** What does not fail the check. */
  warnings?: Finding[];
  /** The changes since the last release. */
  changes?: ContractChange[];
}

/** What is checked. */
export interface CheckOptions {
  contract: string;
  /** The folder of the released contracts. Default: `released` beside the contract. */
  released?: string | undefined;
  /** Checks of others that need the bundled contract. */
  moreChecks?: (document: BundledDocument) => Promise<Check>[];
  /** Whether the contract is about to be released. Until the first release, its version may be any string. */
  isRelease?: true;
}

const EXAMPLE_RULES = /^no-invalid-.*examples|-examples-valid$/;
const DEPRECATION_RULES = /deprecation|successor/;

/** Runs every check of a contract. Of a contract that cannot be parsed, only the lint is returned. */
export async function checkContract({
  contract,
  released = releasedBeside(contract),
  moreChecks = () => [],
  isRelease,
}: CheckOptions): Promise<Check[]> {
  const [problems, document] = await Promise.all([
    lint(contract),
    bundle(contract).catch((error: unknown) => error as Error),
  ]);
  const linted = lintChecks(problems, await rulesFor(contract), false);
  if (!isParsed(problems)) return linted;
  if (document instanceof Error) throw document;
  const others = [...moreChecks(document), compatibilityCheck(document, contract, released, isRelease)];
  return [...linted, ...(await Promise.all(others))];
}

/** Runs the checks that read only the contract itself, with the rules of `redocly.yaml` or of another configuration. */
export async function lintContract(contract: string, configPath?: string): Promise<Check[]> {
  return lintChecks(await lint(contract, configPath), await rulesFor(contract, configPath));
}

/** Returns the checks of the lint. A contract of others may have hundreds of warnings, which only `lint` lists. */
function lintChecks(problems: ContractProblem[], rules: string[], listsWarnings = true): Check[] {
  const check = (name: Check["name"], passed: string, isOurs: (rule: string) => boolean): Check => {
    const own = problems.filter(({ rule = "" }) => isOurs(rule));
    const [findings, warnings] = [false, true].map((isWarning) =>
      own
        .filter(({ kind }) => (kind === "warning") === isWarning)
        .map(({ file, line, column, message, rule, frame }): Finding => {
          return { message, at: { file, line, column }, ...(rule && { rule }), ...(frame && { frame }) };
        }),
    ) as [Finding[], Finding[]];
    const count = warnings.length;
    const warned = `no errors, and ${count} ${count === 1 ? "warning" : "warnings"} of rules at level warn`;
    return { name, passed: count === 0 ? passed : warned, findings, ...(listsWarnings && count > 0 && { warnings }) };
  };
  const isOther = (rule: string) => !EXAMPLE_RULES.test(rule) && !DEPRECATION_RULES.test(rule);
  const dated = "dated, in order, at least 180 days ahead, with a successor that exists";
  const lintCheck = check("lint", "all rules pass", isOther);
  if (!isParsed(problems)) return [lintCheck]; // nothing else has been checked
  const others = [
    [EXAMPLE_RULES, "examples", "every example is valid"],
    [DEPRECATION_RULES, "deprecations", dated],
  ] as const;
  return [
    lintCheck,
    ...others
      .filter(([own]) => rules.some((rule) => own.test(rule)))
      .map(([own, name, passed]) => check(name, passed, (rule) => own.test(rule))),
  ];
}

function isParsed(problems: ContractProblem[]): boolean {
  return problems.every(({ rule }) => rule !== undefined);
}

/** Checks `info.version` of a bundled contract against the changes since the last release. */
export async function compatibilityCheck(
  document: BundledDocument,
  contract: string,
  released = releasedBeside(contract),
  isRelease = false,
): Promise<Check> {
  const { info } = document;
  const decisions = decisionsBeside(contract); // the first release needs them for its changelog
  const last = await lastReleased(released);
  const version = parseVersion(info.version);
  const fail = (message: string, changes: ContractChange[] = []): Check => {
    return { name: "compatibility", passed: "", findings: [{ message }], changes };
  };
  if (version === undefined && (last !== undefined || isRelease))
    return fail(`info.version is ${info.version}. Write three numbers, such as 1.0.0.`);
  if (last === undefined || version === undefined)
    return { name: "compatibility", passed: "nothing is released yet", findings: [] };
  const changes = await contractChanges(last.document, document, contract);
  const since = `since ${last.version.join(".")}`;
  const stale = staleApprovals(changes, decisions).map((message) => ({ message }));
  if (stale.length > 0) return { name: "compatibility", passed: "", findings: stale, changes };
  const impact = mostSevere(changes.map((change) => (change.approval ? "additive" : change.impact)));
  if (impact === undefined) return { name: "compatibility", passed: `no changes ${since}`, findings: [], changes };
  const required = versionAfter(last.version, impact);
  if (compareVersions(version, parseVersion(required)!) < 0)
    return fail(
      `The most severe change ${since} is ${impact}, so info.version must be at least ${required}. It is ${info.version}.`,
      changes,
    );
  return {
    name: "compatibility",
    passed: `${info.version} fits what changed ${since}: ${impact}`,
    findings: [],
    changes,
  };
}
