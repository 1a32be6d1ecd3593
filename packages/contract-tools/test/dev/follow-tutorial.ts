import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "@platform/test-support/clone";
import { needsTool } from "@platform/test-support/machine";
import {
  createDatabase,
  type PostgresServer,
  postgresUnavailable,
  startPostgres,
} from "@platform/test-support/postgres";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Reader } from "./reader.ts";
import { blocksOf, brokenPromise, stepsOf } from "./tutorial.ts";

const CHAPTERS = [
  { page: "openapi/adding-an-operation.md", before: "origin/main" },
  { page: "openapi/adding-a-transaction.md", before: "HEAD~1" },
].map((chapter) => ({ ...chapter, text: read(chapter.page) }));
const WORKFLOW = Array.from(read(".github/workflows/contract.yaml").matchAll(/run: (npx .*)/g), ([, run]) => run!);
const CI = Array.from(read(".ci/run").matchAll(/^npx .*$/gm), ([command]) => command);
const isDone = read("openapi/openapi.yaml").includes("operationId: listOrders");
const withoutPostgres = await postgresUnavailable();

/** One reader follows both chapters, step by step. Each database has a file of its own, so that both run at once. */
export function followTutorial(database: "SQLite" | "PostgreSQL"): void {
  describe(`the tutorial on ${database}`, () => {
    const reason = isDone
      ? "this repository has orders already"
      : database === "PostgreSQL"
        ? withoutPostgres
        : undefined;
    let server: PostgresServer | undefined;
    let reader: Reader;
    let isBroken = false;

    beforeAll(async () => {
      if (reason !== undefined) return;
      if (database === "PostgreSQL") server = await startPostgres();
      reader = new Reader(server && (await createDatabase(server.url)).url);
    });
    afterAll(async () => {
      await reader?.[Symbol.asyncDispose]();
      await server?.[Symbol.asyncDispose]();
    });
    beforeEach((context) => {
      if (reason === withoutPostgres) needsTool(context, reason);
      context.skip(reason !== undefined, reason);
      context.skip(isBroken, "a step before it failed");
    });
    afterEach(({ task }) => void (isBroken ||= task.result?.state === "fail"));

    test("the reader's Node is not that of the repository", async () => {
      expect(await reader.run("command -v node")).not.toContain("node_modules");
    });

    describe.each(CHAPTERS)("$page", ({ text, before }) => {
      const steps = stepsOf(blocksOf(database === "SQLite" ? text : withoutTest(text))).map(
        (step) => [step.name, step] as const,
      );

      test.each(steps)("%s", { timeout: 3_600_000 }, async (_name, { actions, promise }) => {
        await reader.act(actions);
        const seen = await reader.see(promise);
        expect(brokenPromise(promise.text, seen), seen).toBeUndefined();
      });

      test("the page states the number of changed places outside the folder of the resource", async () => {
        const diff = await reader.run(`git diff ${before} -- . ':!*/generated/*' ':!*/store/*'`);
        const [places, files] = [/^@@ /gm, /^diff /gm].map((line) => diff.match(line)!.length);
        expect(text).toContain(`needs ${places} places in ${files} files`);
      });

      test.each(WORKFLOW)("the pull request workflow passes: %s", async (command) => {
        expect(await reader.run(`export GITHUB_STEP_SUMMARY=$(mktemp); ${command}`)).not.toContain("::error");
      });
    });

    test("`.ci/run` installs from the lockfile, then runs the commands that the pages name", async () => {
      expect(CI.map((command) => command.split(" ")[3])).toEqual([
        "install",
        "test",
        "test:long",
        "--recursive",
        "mutate",
      ]);
      expect(CHAPTERS[0]!.text).toMatch(
        /`test`, the long tests, those that need the machine to themselves, and a sample of\s+mutants/,
      );
      await reader.run(CI[0]!);
      expect(await reader.run("git status --porcelain")).toBe("");
    });
  });
}

/** Leaves out `test`: it runs on both databases, whichever the reader's service has. */
function withoutTest(page: string): string {
  return page.replaceAll(/^npx -y pnpm@12\.21\.0 test\n/gm, "").replaceAll(/^… passed, 0 failed, .*\n/gm, "");
}

function read(file: string): string {
  return readFileSync(join(root, file), "utf8");
}
