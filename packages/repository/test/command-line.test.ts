import { isOfTemplate, repositoryFiles } from "@platform/test-support/clone";
import { expect, test } from "vitest";
import { manifestAt, PROGRAMS } from "./programs.ts";

/** Scripts of a build or of this repository's checks, which nobody starts by hand. */
const INTERNAL = /\bnode (\.\.\/repository|scripts|(--env-file=\S+ )?\S*node_modules|build\.ts)/;

test("the list has every script and program of ours", () => {
  const manifests = repositoryFiles("*package.json").filter((file) => !isOfTemplate(file));
  const files = manifests.flatMap((file) => {
    const { scripts = {}, bin = {} } = manifestAt(file);
    const folder = file.slice(0, -"package.json".length);
    const ours = Object.values(scripts)
      .flatMap((script) => script.split(" && "))
      .filter((command) => command.startsWith("node ") && !INTERNAL.test(command));
    const started = ours.map((command) => command.split(" ").find((word) => /\.[jt]s$/.test(word))!);
    return [...started, ...Object.values(bin)].map((path) => folder + path.replace(/^\.\//, ""));
  });
  expect(files.length).toBeGreaterThan(15);
  const known = new Set(PROGRAMS.map((line) => line.split(" ")[0]));
  /** The first says where to start a command; the others start programs in the list, or what `build` makes of one. */
  const others = /\/(?:from-root\.js|create-openapi-operations\.js|src\/bin\/[a-z-]+\.ts)$/;
  expect(files.filter((file) => !known.has(file) && !others.test(file))).toEqual([]);
});
