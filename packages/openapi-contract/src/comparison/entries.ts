import type { ContractChange } from "./compare.ts";
import { type Impact, IMPACTS, isPredicate, sentenceOf } from "./changes.ts";
import type { Approval } from "./decisions.ts";

/** An entry of a report: one change of the contract, with all that it reaches. */
export interface Entry {
  /** The name of the contract, if it is one of a list. */
  contract?: string;
  /** The most severe impact of its changes. */
  impact: Impact;
  /** The operation or the component that changes, or the number of operations with the same change. */
  place: string;
  message: string;
  /** Who wants this change, if that applies to all that is breaking. */
  approval?: Approval;
  at?: { file: string; line: number };
  reaches: Reach[];
  /** The change for each operation and direction, the most severe first. */
  changes: ContractChange[];
}

/** What an entry means for the operations of one direction. */
export interface Reach {
  impact: Impact;
  approval?: Approval;
  direction?: "request" | "response";
  /** The reason for the impact. */
  reason: string;
  places: string[];
}

/**
 * Returns the entries of a report on changes, the most severe first. Changes with one cause are one entry, and so are those of one
 * component that reach the same operations, and those of one part of an operation.
 */
export function entriesOf(changes: ContractChange[]): Entry[] {
  const causes = Map.groupBy(changes, ({ cause, place, message }) => cause?.key ?? JSON.stringify([place, message]));
  const parts = Map.groupBy(Array.from(causes.values(), partOf), ({ place, reaches, together }) =>
    JSON.stringify([place, reaches, together]),
  );
  return Array.from(parts.values(), entryOf).toSorted((one, other) => severity(one) - severity(other));
}

/** Approved changes come after those to decide on. */
function severity({ impact, approval }: Pick<Entry, "impact" | "approval">): number {
  return 2 * IMPACTS.indexOf(impact) + (approval === undefined ? 0 : 1);
}

/** The changes of one cause. */
interface Part {
  place: string;
  subject: string;
  what: string;
  reaches: Reach[];
  changes: ContractChange[];
  /** Equal for the parts of a place that may be one entry. */
  together: string;
}

function partOf(group: ContractChange[]): Part {
  const changes = group.toSorted((one, other) => severity(one) - severity(other));
  const [{ cause, place, message, subject = "", what = "" }] = changes as [ContractChange];
  const part = { what, changes, reaches: reachesOf(changes), together: isPredicate(what) ? message : subject };
  if (cause === undefined) return { ...part, place, subject, together: message };
  if (changes.length === 1) return { ...part, place, subject };
  if (cause.place !== undefined) return { ...part, place: cause.place, subject: cause.subject, together: "" };
  const places = new Set(changes.map((change) => change.place));
  const isSame = changes.every((change) => change.subject === subject);
  return {
    ...part,
    place: places.size === 1 ? place : countedPlaces([...places]),
    subject: isSame ? subject : cause.subject,
  };
}

/** The most changes of a component to list in one entry. */
const MAX_SENTENCES = 10;

function entryOf(parts: Part[]): Entry {
  const [{ place, reaches }] = parts as [Part];
  const changes = parts.flatMap((part) => part.changes);
  const [{ impact, approval }] = reaches as [Reach];
  const sentences = parts.slice(0, MAX_SENTENCES).map(({ subject, what, changes: [first] }, index) => {
    if (what === "") return first!.message;
    const isSame = parts[index - 1]?.subject === subject && !isPredicate(what);
    return sentenceOf({ what, ...(!isSame && { subject }) });
  });
  const rest = parts.length - MAX_SENTENCES;
  const more = rest > 0 ? [`It has ${rest} more such ${rest === 1 ? "change" : "changes"}.`] : [];
  const reason = reaches.length === 1 && reaches[0]!.reason !== "" ? [reaches[0]!.reason] : [];
  const at = changes.find((change) => change.at !== undefined)?.at;
  return {
    impact,
    place,
    message: [...sentences, ...more, ...reason].join(" "),
    ...(approval && { approval }),
    ...(at && { at }),
    reaches,
    changes,
  };
}

function reachesOf(changes: ContractChange[]): Reach[] {
  const groups = Map.groupBy(changes, (change) =>
    JSON.stringify([change.impact, change.approval, change.direction, reasonOf(change)]),
  );
  return Array.from(groups.values(), (group) => {
    const [change] = group as [ContractChange];
    const { impact, approval, direction } = change;
    return {
      impact,
      ...(approval && { approval }),
      ...(direction && { direction }),
      reason: reasonOf(change),
      places: [...new Set(group.flatMap(({ place, reaches = [] }) => (reaches.length === 0 ? [place] : reaches)))],
    };
  });
}

function reasonOf({ message, what, subject = "" }: ContractChange): string {
  return what === undefined ? "" : message.slice(sentenceOf({ subject, what }).length + 1);
}

const KINDS = { operation: /^[A-Z]+ \//, schema: /^components\/schemas\/[^/]+$/, place: /^/ };

/** Such as `46 operations`. */
export function countedPlaces(places: string[]): string {
  const [kind] = Object.entries(KINDS).find(([, pattern]) => places.every((place) => pattern.test(place)))!;
  return `${places.length} ${kind}${places.length === 1 ? "" : "s"}`;
}
