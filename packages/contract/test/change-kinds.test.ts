import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { type ContractChange, contractChanges, type Impact } from "../diff.ts";
import { gravest } from "../ratings.ts";
import { CONTRACT_FILE } from "../redocly.ts";
import { CHANGE_KINDS, type ChangeKind } from "./change-kinds.ts";

/** What is read of a contract. */
interface Contract {
  paths: Record<string, unknown>;
  components: Record<string, Record<string, unknown>>;
}

/** Both ratings are kept, so that an upgrade of Redocly that changes one of its own is seen as well. */
describe("what a change means for clients", () => {
  let folder: string;
  const found = new Map<string, ContractChange[]>();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "change-kinds-"));
    const text = await readFile(CONTRACT_FILE, "utf8");
    const contract = parse(text) as Contract;
    const kinds = Object.entries(CHANGE_KINDS).map(([kind, { change }], at) => {
      return { kind, changed: parse(applied(change, kind, text)) as Contract, name: `k${at}` };
    });

    const together = kinds.filter((each) => isDeepStrictEqual(outline(each.changed), outline(contract)));
    for (const { kind } of together) found.set(kind, []);
    const before = side(together, () => contract, contract);
    const after = side(together, ({ changed }) => changed, contract);
    for (const change of await compared(before, after)) {
      const name = /k\d+(?=[/_])/.exec(change.place)?.[0];
      const of = together.find((each) => each.name === name);
      if (of === undefined) throw new Error(`No kind of change is at ${change.place}: ${change.message}`);
      found.get(of.kind)!.push(change);
    }

    for (const { kind, changed } of kinds) {
      if (!found.has(kind)) found.set(kind, await compared(contract, changed));
    }
  });
  afterAll(() => rm(folder, { recursive: true }));

  test.each(Object.entries(CHANGE_KINDS))("%s", (kind, { impact, redocly = impact }) => {
    const changes = found.get(kind)!;
    const theirs = changes.map((change): Impact => change.overruled ?? change.impact);
    expect({ impact: gravest(changes.map((change) => change.impact)), redocly: gravest(theirs) }).toEqual({
      impact,
      redocly,
    });
  });

  async function compared(before: object, after: object): Promise<ContractChange[]> {
    const files = [join(folder, "before.json"), join(folder, "after.json")] as const;
    await writeFile(files[0], JSON.stringify(before));
    await writeFile(files[1], JSON.stringify(after));
    return contractChanges(...files);
  }
});

/** All of a contract but its operations and components: kinds that change none of it are compared at once, as each comparison is a process. */
function outline(contract: Contract): object {
  return { ...contract, paths: Object.keys(contract.paths), components: undefined };
}

/** A contract that holds, for each kind, a copy of the operations and components of one, under names that begin with the kind's. */
function side<Kind extends { name: string }>(kinds: Kind[], of: (kind: Kind) => Contract, frame: Contract): Contract {
  const all: Contract = { ...frame, paths: {}, components: {} };
  for (const kind of kinds) {
    const { paths, components } = renamed(of(kind), kind.name);
    for (const [path, item] of Object.entries(paths)) all.paths[`/${kind.name}${path}`] = item;
    for (const [part, named] of Object.entries(components)) {
      const own = Object.entries(named).map(([name, value]) => [`${kind.name}_${name}`, value]);
      all.components[part] = { ...all.components[part], ...Object.fromEntries(own) };
    }
  }
  return all;
}

/** A copy whose references, operationIds and security requirements name the components of that name. */
function renamed({ paths, components }: Contract, name: string): Contract {
  return JSON.parse(JSON.stringify({ paths, components }), (key, value: unknown) => {
    if (key === "$ref") return (value as string).replace(/^#\/components\/\w+\//, `$&${name}_`);
    if (key === "operationId") return `${name}_${String(value)}`;
    if (key !== "security") return value;
    return (value as Record<string, string[]>[]).map((schemes) =>
      Object.fromEntries(Object.entries(schemes).map(([scheme, scopes]) => [`${name}_${scheme}`, scopes])),
    );
  }) as Contract;
}

function applied(change: ChangeKind["change"], kind: string, contract: string): string {
  return change.reduce((before, [text, replacement]) => {
    const after = before.replace(text, replacement);
    if (after === before) throw new Error(`"${kind}" changes nothing: ${String(text)} is not in the contract.`);
    return after;
  }, contract);
}
