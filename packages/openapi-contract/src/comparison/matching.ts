import type { Alternative } from "./alternatives.ts";
import { isNote } from "./canonical.ts";
import type { Pair } from "./changes.ts";

/**
 * Pairs alternatives: first those of the same component, then those with the same JSON, then those of the same type. Any
 * pairing is safe: if each alternative accepts all values of its earlier one, so do all together.
 */
export function matchAlternatives(before: Alternative[], after: Alternative[]) {
  if (before.length === 1 && after.length === 1)
    return { pairs: [{ before: before[0]!, after: after[0]! }], removed: [], added: [] };
  const pairs: Pair<Alternative>[] = [];
  let [removed, added] = [before, after];
  const match = (belong: (pair: Pair<Alternative>) => boolean) => {
    for (const alternative of removed) {
      const other = added.find((each) => belong({ before: alternative, after: each }));
      if (other === undefined) continue;
      pairs.push({ before: alternative, after: other });
      removed = removed.filter((each) => each !== alternative);
      added = added.filter((each) => each !== other);
    }
  };
  const isOfOneType = (pair: Pair<Alternative>) => pair.before.type === pair.after.type;
  match((pair) => pair.before.name !== undefined && pair.before.name === pair.after.name && isOfOneType(pair));
  match((pair) => textOf(pair.before) === textOf(pair.after));
  match(isOfOneType);
  return { pairs, removed, added };
}

/** Whether several alternatives of one type differ, so that their pairs may not belong to each other. */
export function mayMatchOthers({ before = [], after = [] }: Pair<Alternative[] | undefined>): boolean {
  const differing = (own: Alternative[], other: Alternative[]) => {
    const texts = new Set(other.map((each) => `${each.name} ${textOf(each)}`));
    const left = own.filter((each) => !texts.has(`${each.name} ${textOf(each)}`)).map(({ type }) => type);
    return new Set(left).size < left.length;
  };
  return before.length + after.length > 2 && (differing(before, after) || differing(after, before));
}

function textOf({ type, keywords }: Alternative): string {
  const entries = Object.entries(keywords).filter(([keyword]) => !isNote(keyword) && keyword !== "oneOf");
  return JSON.stringify([type, entries.toSorted(([one], [other]) => (one < other ? -1 : 1))]);
}
