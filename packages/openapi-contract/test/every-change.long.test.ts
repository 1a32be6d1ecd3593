import type { OpenApiDocument } from "openapi-document";
import { describe, expect, test } from "vitest";
import { compareContracts } from "../src/comparison/compare.ts";
import { mostSevere } from "../src/comparison/changes.ts";
import { bundle, CONTRACT_FILE } from "../src/bundle.ts";

type Node = Record<string, unknown>;

const contractDocument: OpenApiDocument = await bundle(CONTRACT_FILE);

/** Removes each part of the contract, and adds it again. Documentation is recognized by its key. */
describe("each part of the contract", () => {
  test.each(["is removed", "is added"])("is reported if it %s, as documentation only if it is a description", (how) => {
    const unexplained = Array.from(pathsIn(contractDocument)).flatMap((path) => {
      const [more, less] = [contractDocument, without(path)];
      const documents = how === "is added" ? { before: less, after: more } : { before: more, after: less };
      const impact = mostSevere(compareContracts(documents).map((change) => change.impact));
      const isText = path.some((key) => DESCRIPTIONS.has(key));
      return impact === undefined || (impact === "documentation" && !isText) ? [`${path.join("/")}: ${impact}`] : [];
    });
    expect(unexplained).toEqual([]);
  });

  function without(path: string[]): OpenApiDocument {
    const changed = structuredClone(contractDocument) as OpenApiDocument & Node;
    const holder = path.slice(0, -1).reduce<Node>((node, key) => node[key] as Node, changed);
    if (Array.isArray(holder)) holder.splice(Number(path.at(-1)), 1);
    else delete holder[path.at(-1)!];
    return changed;
  }
});

const DESCRIPTIONS = new Set(["info", "tags", "summary", "description", "example", "examples"]);

/** Returns the path of each part, except those that every contract needs: `openapi`, components, names of parameters. */
function* pathsIn(node: object, path: string[] = []): Generator<string[]> {
  for (const [key, value] of Object.entries(node)) {
    const inner = [...path, key];
    const isNeeded =
      key === "openapi" ||
      (key === "name" && path.includes("parameters")) ||
      (inner[0] === "components" && inner.length < 4) ||
      (key === "type" && ("enum" in node || "const" in node)); // the values say it
    if (!isNeeded) yield inner;
    if (DESCRIPTIONS.has(key)) continue;
    if (typeof value === "object" && value !== null) yield* pathsIn(value as object, inner);
  }
}
