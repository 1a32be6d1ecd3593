import { readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { isOfTemplate, repositoryFiles, root } from "@platform/test-support/clone";
import ts from "typescript-with-api";
import { describe, expect, test } from "vitest";

const manifests = repositoryFiles("apps/*/package.json", "packages/*/package.json").filter(
  (file) => !isOfTemplate(file),
);

describe("imports", () => {
  /** Every package may import this one. */
  const COMMON = "packages/command-line";
  /** Imports neither another package nor Node, so that browsers can run it. */
  const ALONE = "packages/openapi-document";
  /** Nothing imports it, and it may measure what a package does not export. */
  const LABORATORY = "packages/laboratory";

  /** Files of a package that run, rather than test, measure or build it. */
  const RUNS = /^[^/]+\/[^/]+\/(?:src\/|bin\/|start\.|backend\.)/;

  /** Files of `express-operations` that compose its rooms. */
  const COMPOSITION = /\/express-operations\/src\/(?:implement|index)\.ts$/;

  const page = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
  /** The folder of each package and of each room of a package in the graphs, by node. */
  const nodes = new Map(
    Array.from(page.matchAll(/^ {2}(\w+)\["([\w-]+(?:\/[\w-]+)+)"\]$/gm), ([, node, folder]) => [node!, folder!]),
  );
  const arrows = Array.from(page.matchAll(/^ {2}(\w+) --> (\w+)$/gm), ([, from, to]) => [
    nodes.get(from!),
    nodes.get(to!),
  ]);
  /** The folder of each package, by name. */
  const folders = new Map(
    manifests.map((file) => {
      const { name } = JSON.parse(readFileSync(join(root, file), "utf8")) as { name: string };
      return [name, dirname(file)];
    }),
  );

  function folderOf(file: string): string {
    return file.split("/", 2).join("/");
  }

  /** Returns the room that has a file; undefined if its package has none, and for a file that composes rooms. */
  function roomOf(file: string): string | undefined {
    if (COMPOSITION.test(file)) return undefined;
    const rooms = [...nodes.values()].filter((folder) => folder !== folderOf(file) && file.startsWith(`${folder}/`));
    return rooms.toSorted((one, other) => other.length - one.length)[0];
  }

  /** Returns the packages or rooms that the arrows reach from one, directly or not. */
  function reachedFrom(folder: string): string[] {
    const direct = arrows.flatMap(([from, to]) => (from === folder ? [to!] : []));
    return [...direct, ...direct.flatMap(reachedFrom)];
  }

  /** Returns why a file may not import a module; undefined if it may. */
  function refusal(file: string, imported: string): string | undefined {
    const from = folderOf(file);
    if (imported.startsWith(".")) {
      const path = posix.join(posix.dirname(file), imported);
      if (folderOf(path) !== from && from !== LABORATORY) return `${file}: import ${path} by the name of its package.`;
      const [room, other] = [roomOf(file), roomOf(path)];
      if (room !== undefined && other !== undefined && room !== other && !reachedFrom(room).includes(other))
        return `${file} imports ${path}, and no arrow of ARCHITECTURE.md leads there.`;
      if (!/^apps\/server\/src\/resources\/[^/]+\//.test(file)) return undefined;
      if (/^apps\/server\/src\/[^/]+$/.test(path)) return `${file} imports ${path}, which composes the resources.`;
      const isOwn = posix.dirname(path) === posix.dirname(file);
      return path.endsWith("/index.ts") && !isOwn ? `${file}: import a table or a repository, not ${path}.` : undefined;
    }
    if (from === ALONE && RUNS.test(file)) return `${file} imports ${imported}, and ${ALONE} imports nothing.`;
    const to = folders.get(imported.split("/", imported.startsWith("@") ? 2 : 1).join("/"));
    if (to === undefined || to === from || to === COMMON || !RUNS.test(file)) return undefined;
    if (![...nodes.values()].includes(from) || reachedFrom(from).includes(to)) return undefined;
    return `${file} imports ${to}, and no arrow of ARCHITECTURE.md leads there.`;
  }

  test("every import follows the arrows of ARCHITECTURE.md", () => {
    const files = repositoryFiles("apps", "packages").filter((file) => /\.[jt]sx?$/.test(file));
    const refused = files.flatMap((file) =>
      ts
        .preProcessFile(readFileSync(join(root, file), "utf8"))
        .importedFiles.flatMap(({ fileName }) => refusal(file, fileName) ?? []),
    );
    expect(refused).toEqual([]);
  });

  const REFUSED = [
    ["packages/storage/src/url.ts", "@openapi-operations/service/errors"],
    ["packages/storage/src/migrations.ts", "@openapi-operations/api-keys/api-key"],
    ["packages/storage/src/storage.ts", "express-operations"],
    ["packages/api-keys/src/api-key.ts", "@petstore/contract"],
    ["packages/service/src/settings.ts", "@openapi-operations/storage/storage"],
    ["packages/openapi-document/src/paths.ts", "express-operations"],
    ["packages/openapi-document/src/keywords.ts", "node:util"],
    ["packages/express-operations/src/lists.ts", "@openapi-operations/service/errors"],
    ["packages/express-operations/src/road.ts", "./webhooks/senders.ts"],
    ["packages/express-operations/src/request/body.ts", "../costs/costly-schemas.ts"],
    ["packages/express-operations/src/types.ts", "./streams/file.ts"],
    ["packages/express-operations/src/example/example-value.ts", "../conformance/conformance.ts"],
    ["packages/fetch-operations/src/client.ts", "express-operations/example-value"],
    ["packages/openapi-contract/src/output.ts", "@petstore/contract"],
    ["apps/storefront/src/shop.tsx", "@petstore/contract"],
    ["packages/service/test/origin.test.ts", "../../express-operations/src/index.ts"],
    ["apps/server/src/main.ts", "../../../packages/laboratory/measuring/figures.ts"],
    ["apps/server/src/resources/pets/cursor.ts", "../../app.ts"],
    ["apps/server/src/resources/pets/cursor.ts", "../orders/index.ts"],
  ] as const;

  // A repository may have removed the package of a row.
  test.each(REFUSED.filter(([file]) => [...nodes.values()].includes(folderOf(file))))(
    "%s may not import %s",
    (file, imported) => {
      expect(refusal(file, imported)).toContain(file);
    },
  );

  test("no library depends on a product, and nothing on a private package", () => {
    const kinds = new Map(
      Array.from(page.matchAll(/^\| \[`([^`]+)`\]\([^)]+\)\s*\| (product|library|private)\b/gm), ([, folder, kind]) => [
        folder!,
        kind!,
      ]),
    );
    const allowed: Record<string, string[]> = { product: ["product", "library"], library: ["library"] };
    const workspace = [...folders.values()].filter((folder) => folder === folderOf(folder));
    const refused = workspace.flatMap((folder) => {
      const kind = kinds.get(folder);
      if (kind === undefined) return [`ARCHITECTURE.md does not name the kind of ${folder}.`];
      const manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as {
        dependencies?: Record<string, string>;
      };
      return Object.keys(manifest.dependencies ?? {}).flatMap((name) => {
        const other = kinds.get(folders.get(name) ?? "");
        const isAllowed = other === undefined || (allowed[kind]?.includes(other) ?? true);
        return isAllowed ? [] : [`${folder} (${kind}) depends on ${name} (${other}).`];
      });
    });
    expect(refused).toEqual([]);
  });
});

describe("exports", () => {
  test.each(manifests)("%s exports no test file", (file) => {
    const { exports = {} } = JSON.parse(readFileSync(join(root, file), "utf8")) as { exports?: object };
    expect(pathsIn(exports).filter((path) => /^\.\/test\/|\.test\.ts$/.test(path))).toEqual([]);
  });

  /** Returns every path of the field, under all conditions: https://nodejs.org/api/packages.html#exports */
  function pathsIn(exports: string | object): string[] {
    return typeof exports === "string" ? [exports] : Object.values(exports).flatMap(pathsIn);
  }
});
