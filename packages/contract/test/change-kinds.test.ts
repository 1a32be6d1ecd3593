import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ContractChange, contractChanges, type Impact } from "../diff.ts";
import { gravest } from "../ratings.ts";
import { CONTRACT_FILE } from "../redocly.ts";
import { CHANGE_KINDS } from "./change-kinds.ts";

/** Both ratings are kept, so that an upgrade of Redocly that changes one of its own is seen as well. */
describe("what a change means for clients", () => {
  let folder: string;
  let found: Map<string, ContractChange[]>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "change-kinds-"));
    const contract = await readFile(CONTRACT_FILE, "utf8");
    found = new Map();
    const waiting = Object.entries(CHANGE_KINDS);
    // Each comparison is a process of its own, and there are two processors at least.
    const compareSome = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [kind, { change }] = next;
        const file = join(folder, `${waiting.length}.yaml`);
        await writeFile(file, changed(contract, kind, change));
        found.set(kind, await contractChanges(CONTRACT_FILE, file));
      }
    };
    await Promise.all([compareSome(), compareSome()]);
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
});

function changed(contract: string, kind: string, change: [text: string | RegExp, change: string][]): string {
  return change.reduce((before, [text, replacement]) => {
    const after = before.replace(text, replacement);
    if (after === before) throw new Error(`"${kind}" changes nothing: ${String(text)} is not in the contract.`);
    return after;
  }, contract);
}
