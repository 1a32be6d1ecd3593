import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { type OpenApiDocument, operationsOf } from "openapi-document";
import { z } from "zod";
import { parseConfiguration } from "../configuration.ts";
import { ROOT } from "../paths.ts";
import type { Cause } from "./causes.ts";
import { type Impact, IMPACTS, sentenceOf } from "./changes.ts";

/** What people decide about changes: the file beside a contract. */
const FILE = "comparison.yaml";

/** Which changes an entry is about. `*` stands for any text. */
const matched = {
  /** Such as `GET /pets`, or `* /internal/*`. */
  place: z.string().min(1),
  /** The beginning of the message; all messages if it is left out. Such as ``Query parameter "limit": `maximum` ``. */
  change: z.string().min(1).optional(),
};

/** A string with placeholders such as `{{message}}`. */
function template(...known: string[]) {
  return z.string().check(({ value, issues }) => {
    const unknown = [...value.matchAll(/\{\{(.*?)\}\}/g)].find(([, name]) => !known.includes(name!.trim()));
    if (unknown === undefined) return;
    const use = known.length === 0 ? "A heading has none" : `Use ${known.map((name) => `{{${name}}}`).join(", ")}`;
    issues.push({ code: "custom", input: value, message: `${unknown[0]} is not a placeholder. ${use}` });
  });
}

const heading = (text: string) => template().nullable().default(text);

/** The words of the changelog. */
const words = z.strictObject({
  /** The headings of the groups, in this order. A group whose heading is null is left out. */
  headings: z
    .strictObject({
      breaking: heading("Breaking: change your calls"),
      deprecated: heading("Deprecated: prepare for the removal"),
      additive: heading("New or relaxed"),
      documentation: heading("Documentation"),
    })
    .prefault({}),
  /** The line of a change, in Markdown. */
  entry: template("places", "message").default("{{places}}: {{message}}"),
});

export type Words = z.infer<typeof words>;

/** The value of a key whose last entry is deleted is null. */
const orNone = (value: unknown) => value ?? [];

const decisions = z.strictObject({
  /** The impact of some changes, in place of that of the comparison. The first entry that matches decides. */
  severity: z.preprocess(orNone, z.array(z.strictObject({ ...matched, impact: z.enum(IMPACTS) }))),
  /** Breaking changes that people want: why, who, and the last day on which the entry applies. */
  approved: z.preprocess(
    orNone,
    z.array(z.strictObject({ ...matched, reason: z.string().min(1), by: z.string().min(1), until: z.iso.date() })),
  ),
  changelog: words.prefault({}),
});

/** What people have decided about the changes of a contract. */
export type Decisions = z.infer<typeof decisions>;
export type Approval = Decisions["approved"][number];

/** Returns the decisions in the file beside a contract; none without the file. Throws for a fault in it, with its place. */
export function decisionsBeside(contract: string): Decisions {
  const path = join(dirname(contract), FILE);
  if (!existsSync(path)) return decisions.parse({});
  return parseConfiguration(decisions, readFileSync(path, "utf8"), relative(ROOT, path));
}

/** What decisions are about. */
interface Rated {
  impact: Impact;
  place: string;
  message: string;
  /** What the report names in place of the operation and its part if several change alike; an entry may name it too. */
  cause?: Cause;
  what?: string;
  /** Who wants this breaking change, and why. */
  approval?: Approval;
}

/** The levels of `x-stability-level` at which an operation may change in any way; `beta` and `stable` may not. */
const UNSTABLE = new Set<string | undefined>(["experimental", "draft", "alpha"]);

/** Returns the changes with the ratings that the stability of each operation leads to: an unstable one may break, and others stay stable. */
export function byStability<Change extends Rated>(
  changes: Change[],
  before: OpenApiDocument,
  after: OpenApiDocument,
): (Change | Rated)[] {
  const [old, current] = [levelsIn(before), levelsIn(after)];
  const rated = changes.map((change): Change => {
    const level = old.get(change.place);
    if (change.impact !== "breaking" || !UNSTABLE.has(level)) return change;
    return { ...change, impact: "additive", message: `${change.message} The operation is ${level}, so it may break.` };
  });
  const lowered = Array.from(current).flatMap(([place, level]): Rated[] =>
    old.has(place) && UNSTABLE.has(level) && !UNSTABLE.has(old.get(place))
      ? [
          {
            impact: "breaking",
            place,
            message: `It becomes ${level}. Clients rely on an operation that may now break.`,
          },
        ]
      : [],
  );
  return [...lowered, ...rated];
}

/** Returns the stability level of each operation, by its place. */
function levelsIn(document: OpenApiDocument): Map<string, string | undefined> {
  const entries = operationsOf(document).map(({ method, path, operation }) => {
    return [`${method.toUpperCase()} ${path}`, operation["x-stability-level"]] as const;
  });
  return new Map(entries);
}

/** Returns the changes with the decisions about them. `today` is such as `2026-12-05`. */
export function decided<Change extends Rated>(
  changes: Change[],
  { severity, approved }: Pick<Decisions, "severity" | "approved">,
  today = dayOf(new Date()),
): Change[] {
  return changes.map((change) => {
    const impact = severity.find((entry) => isAbout(entry, change))?.impact ?? change.impact;
    const approval =
      impact === "breaking" ? approved.find((entry) => entry.until >= today && isAbout(entry, change)) : undefined;
    return { ...change, impact, ...(approval && { approval }) };
  });
}

/** Returns a sentence on each approval that applies to none of the changes since the last release, or whose last day has passed. */
export function staleApprovals(
  changes: Rated[],
  { approved }: Pick<Decisions, "approved">,
  today = dayOf(new Date()),
): string[] {
  return approved.flatMap((entry) => {
    const name = `The approval of ${entry.place}${entry.change === undefined ? "" : `: ${entry.change}`} in ${FILE}`;
    if (entry.until < today) return [`${name} ended on ${entry.until}. Remove it, or set a later day.`];
    if (changes.some((change) => change.impact === "breaking" && isAbout(entry, change))) return [];
    return [`${name} applies to no breaking change since the last release. Remove it.`];
  });
}

function isAbout(
  { place, change = "" }: Pick<Approval, "place" | "change">,
  { place: ownPlace, message, cause, what }: Rated,
): boolean {
  const isHere = (name = "") => patternOf(place, "$").test(name);
  const isSaid = (text: string) => patternOf(change, "").test(text);
  if (isHere(ownPlace) && isSaid(message)) return true;
  if (cause === undefined || what === undefined) return false;
  return (isHere(ownPlace) || isHere(cause.place)) && isSaid(sentenceOf({ ...cause, what }));
}

function patternOf(text: string, end: "$" | ""): RegExp {
  const parts = text.split("*").map((part) => part.replaceAll(/[$()+.?[\\\]^{|}]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join("[^]*")}${end}`);
}

/** Returns the day of a date in UTC, such as `2026-12-05`. */
export function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
