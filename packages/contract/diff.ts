import { unescapeKey } from "express-operations/reading";
import { GRAVITY, type Impact, rate, type RatedChange } from "./ratings.ts";
import { redocly } from "./redocly.ts";

export type { Impact } from "./ratings.ts";

/** One change from one contract to another. */
export interface ContractChange {
  impact: Impact;
  /** What Redocly calls it, where our judgement differs. */
  overruled?: Impact;
  /** The operation or the part of the document, such as `GET /pets`. */
  place: string;
  message: string;
  /** Where it is in the later contract, from the root of the repository; a removal stands nowhere. */
  at?: { file: string; line: number };
}

/** What is read of the report of `redocly diff`, whose impacts are those of semantic versioning. */
interface DiffReport {
  changes: (RatedChange & {
    impact: keyof typeof IMPACTS;
    verdicts: { message: string }[];
    revision?: { file: string; line: number };
  })[];
}

const IMPACTS = { major: "breaking", minor: "additive", patch: "documentation" } as const;

/** What changed between two contracts, given as files, the gravest first. */
export async function contractChanges(before: string, after: string, signal?: AbortSignal): Promise<ContractChange[]> {
  const { stdout, stderr } = await redocly(["diff", before, after, "--format", "json", "--fail-on", "none"], signal);
  if (stdout === "") throw new Error(`The contracts cannot be compared: ${stderr.trim()}`);
  const changes = (JSON.parse(stdout) as DiffReport).changes.map((change): ContractChange => {
    const { verdicts, revision, path } = change;
    const theirs = IMPACTS[change.impact];
    const { impact, because } = rate(change, theirs);
    const { place, within } = placeOf(path);
    const said = verdicts.length === 0 ? described(change, within) : verdicts.map(({ message }) => message).join(" ");
    return {
      impact,
      ...(because !== undefined && { overruled: theirs }),
      place,
      message: because === undefined ? said : `${said}: ${because}`,
      ...(revision && { at: { file: revision.file, line: revision.line } }),
    };
  });
  return changes.toSorted((one, other) => GRAVITY.indexOf(one.impact) - GRAVITY.indexOf(other.impact));
}

function described({ typeName, property, kind }: RatedChange, within: string): string {
  return `${typeName}${property === undefined ? "" : ` ${property}`} ${kind}${within === "" ? "" : `, ${within}`}`;
}

/** `#/paths/~1pets/get/parameters/0` as `GET /pets`, within which `parameters/0` is; any other pointer stays in one. */
function placeOf(pointer: string): { place: string; within: string } {
  const keys = pointer.split("/").slice(1).map(unescapeKey);
  const [first, path, method, ...within] = keys;
  if (first !== "paths" || path === undefined) return { place: keys.join("/") || "the document", within: "" };
  return { place: method === undefined ? path : `${method.toUpperCase()} ${path}`, within: within.join("/") };
}
