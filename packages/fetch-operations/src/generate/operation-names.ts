import type { OperationEntry } from "openapi-document";
import { capitalized, identifierOf } from "./code.ts";

/** The names of an operation: that of its method and constant, and that of its types, such as `ListPets`. */
export interface OperationNames {
  name: string;
  typeName: string;
}

/**
 * Returns the names of each operation, by the rule of the README. Of operations with one name, the one that the configuration
 * names keeps it, then the one whose operationId it is. The others get a number. Refuses two operations with one operationId, or
 * with one name in the configuration.
 */
export function operationNames(
  entries: OperationEntry[],
  configured: (id: string) => string | undefined,
  refuse: (entry: OperationEntry, problem: string) => never,
): Map<OperationEntry, OperationNames> {
  const ids = new Set<string>();
  const owners = new Map<string, string>();
  for (const entry of entries) {
    const { id } = entry;
    if (ids.has(id)) refuse(entry, "has the operationId of another operation. Give it one of its own.");
    ids.add(id);
    const name = configured(id);
    if (name === undefined) continue;
    if (owners.has(name))
      refuse(entry, `has the name ${name} in the configuration, like ${owners.get(name)!}. Set another.`);
    owners.set(name, id);
  }
  const rankOf = ({ id }: OperationEntry) => (configured(id) !== undefined ? 0 : identifierOf(id) === id ? 1 : 2);
  const ranked = entries.toSorted((one, other) => rankOf(one) - rankOf(other));
  const names = distinct(ranked.map(({ id }) => configured(id) ?? identifierOf(id)));
  const typeNames = distinct(names.map((name) => capitalized(name.replace(/_$/, ""))));
  return new Map(ranked.map((entry, index) => [entry, { name: names[index]!, typeName: typeNames[index]! }]));
}

/** Adds a number to each name that is there before, so that no two names are equal. */
function distinct(names: string[]): string[] {
  const taken = new Set(names);
  const seen = new Set<string>();
  return names.map((name) => {
    let own = name;
    for (let number = 2; seen.has(name) && taken.has(own); number++) own = `${name}${number}`;
    seen.add(name);
    taken.add(own);
    return own;
  });
}
