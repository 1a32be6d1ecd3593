import { relative, resolve } from "node:path";
import { LINT_CONFIG, redocly, ROOT } from "../redocly.ts";

/** A fault of a contract and its place: the file relative to the root of the repository, line and column from 1. */
export interface ContractProblem {
  file: string;
  line: number;
  column: number;
  message: string;
  /** The broken rule; absent if the YAML cannot be parsed. */
  rule?: string;
}

/** The parts of Redocly's report in use. */
interface LintReport {
  problems: {
    ruleId: string;
    severity: "error" | "warn";
    message: string;
    location: { source: { ref: string }; start?: { line: number; col: number } }[];
  }[];
}

/** Lints a contract with the rules of `openapi/redocly.yaml`. Returns the errors, not the warnings. */
export async function contractProblems(contractPath: string, signal?: AbortSignal): Promise<ContractProblem[]> {
  const { exitCode, stdout, stderr } = await redocly(
    ["lint", "--config", LINT_CONFIG, "--format", "json", contractPath],
    signal,
  );
  const { problems: reported } = JSON.parse(stdout || '{"problems":[]}') as LintReport;
  const problems = reported
    .filter(({ severity }) => severity === "error")
    .map(({ ruleId, message, location: [at] }) => {
      return { ...placeOf(at?.source.ref ?? contractPath, at?.start), message, rule: ruleId };
    });
  if (exitCode === 0 || problems.length > 0) return problems;
  return [yamlProblem(stderr, contractPath)];
}

/** Redocly reports a YAML syntax error on stderr only, as `  - reason in "file" (line:column)`. */
function yamlProblem(stderr: string, contractPath: string): ContractProblem {
  const [, message, file, line, col] = /^ +- (.+) in "(.+)" \((\d+):(\d+)\)$/m.exec(stderr) ?? [];
  if (message === undefined) return { ...placeOf(contractPath), message: stderr.trim() };
  return { ...placeOf(file!, { line: Number(line), col: Number(col) }), message };
}

function placeOf(file: string, { line, col } = { line: 1, col: 1 }): { file: string; line: number; column: number } {
  return { file: relative(ROOT, resolve(ROOT, file)), line, column: col };
}
