import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { cloneInstalled, cloneRepository, root } from "@platform/test-support/clone";
import { pnpmPath } from "@platform/test-support/pnpm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

describe("the cache", () => {
  const TASKS = ["generate", "generate:check", "lint:contract", "//#lint:code", "lint", "typecheck", "test", "build"];

  describe("turbo runs the dependent tasks again after a change to", () => {
    let clone: ReturnType<typeof cloneRepository>;
    let known: Map<string, string>;

    beforeAll(() => {
      clone = cloneRepository();
      known = hashes(clone.directory);
    });
    afterAll(() => clone[Symbol.dispose]());

    test("the contract", () => {
      const rerun = rerunAfterChange("openapi/openapi.yaml");
      expect(rerun).toEqual(
        expect.arrayContaining([
          "@petstore/contract#generate",
          "@petstore/contract#generate:check",
          "@petstore/client#generate",
          "@openapi-operations/contract-tools#test",
          "openapi-contract#test",
          "@petstore/server#test",
          "@petstore/server#build",
          "@petstore/client#test",
          "@petstore/client#build",
        ]),
      );
      const readers =
        /^(@petstore\/|@platform\/(laboratory|repository)#|@openapi-operations\/contract-tools#|create-openapi-operations#|openapi-contract#)/;
      expect(rerun.filter((task) => task.endsWith("#test") && !readers.test(task))).toEqual([]);
    });

    test("a file that the contract refers to, and not a released contract", () => {
      const expected = [
        "@petstore/contract#generate",
        "@petstore/contract#generate:check",
        "@petstore/client#generate",
      ];
      for (const file of ["schemas/pets/pet.yml", "schemas/order.json"])
        expect(rerunAfterChange(`openapi/${file}`)).toEqual(expect.arrayContaining(expected));
      expect(rerunAfterChange("openapi/released/1.0.0.yaml")).not.toContain("@petstore/contract#generate");
      expect(rerunAfterChange("openapi/CHANGELOG.md")).toContain("@petstore/contract#generate");
    });

    test("the date: the lint of the contract is never cached", () => {
      const lint = plan(clone.directory).find(({ taskId }) => taskId === "@petstore/contract#lint:contract");
      expect(lint?.resolvedTaskDefinition.cache).toBe(false);
    });

    test.each([
      [
        "contract",
        [
          "openapi-contract/src/bundle.ts",
          "contract-tools/src/generate/hover-texts.ts",
          "contract-tools/src/generate/generated-files.ts",
          "contract-tools/src/contract.ts",
          "contract-tools/src/paths.ts",
          "openapi-document/src/openapi-typescript/request-defaults.ts",
        ],
      ],
      [
        "client",
        [
          "client/fetch-operations.config.json",
          "openapi-document/src/references.ts",
          ...["generate/main.ts", "generate/generated-files.ts", "contract/fingerprint.ts"].map(
            (file) => `fetch-operations/src/${file}`,
          ),
        ],
      ],
    ])("the generator of the %s", (name, files) => {
      const expected = [`@petstore/${name}#generate`, `@petstore/${name}#generate:check`];
      for (const file of files) expect(rerunAfterChange(`packages/${file}`)).toEqual(expect.arrayContaining(expected));
    });

    test("a generated file", () => {
      const rerun = rerunAfterChange("packages/contract/src/generated/schema.ts");
      const expected = ["server", "client"].flatMap((name) =>
        ["lint", "typecheck", "test"].map((task) => `@petstore/${name}#${task}`),
      );
      expect(rerun).toEqual(
        expect.arrayContaining(["@petstore/contract#generate:check", "@petstore/client#generate:check", ...expected]),
      );
      expect(rerun).toContain("//#lint:code");
      expect(rerun).not.toContain("express-operations#test");
    });

    test("the compiler's settings, the lint rules of the code or the lockfile", () => {
      expect(rerunAfterChange("tsconfig.base.json")).toContain("@petstore/server#typecheck");
      expect(rerunAfterChange(".oxlintrc.json")).toContain("@petstore/server#lint");
      expect(rerunAfterChange("pnpm-lock.yaml")).toContain("@petstore/contract#generate");
    });

    function rerunAfterChange(file: string): string[] {
      const before = known;
      mkdirSync(dirname(join(clone.directory, file)), { recursive: true });
      appendFileSync(join(clone.directory, file), "\n");
      known = hashes(clone.directory);
      return [...known.keys()].filter((task) => known.get(task) !== before.get(task));
    }
  });

  /** Returns the hash of each task, the key of its result in turbo's cache. */
  function hashes(directory: string): Map<string, string> {
    return new Map(plan(directory).map(({ taskId, hash }) => [taskId, hash]));
  }

  interface Task {
    taskId: string;
    command: string;
    hash: string;
    resolvedTaskDefinition: { cache: boolean };
  }

  /** The tasks that turbo would run. */
  function plan(directory: string): Task[] {
    const turbo = join(root, "node_modules/turbo/bin/turbo");
    const words = ["run", ...TASKS, "--dry-run=json", "--skip-infer", "--cwd", directory];
    const output = execFileSync(process.execPath, [turbo, ...words], {
      encoding: "utf8",
      maxBuffer: 2 ** 26, // the plan names each file of each task
      env: { ...process.env, DO_NOT_TRACK: "1" },
    });
    const { tasks } = JSON.parse(output) as { tasks: Task[] };
    return tasks.filter(({ command }) => command !== "<NONEXISTENT>");
  }
});

describe("the summary", () => {
  const SLOW = `
import { beforeAll, test } from "vitest";
beforeAll(() => new Promise((done) => setTimeout(done, 3_100)));
test("waits", () => {});
`;

  const FAILS = `
import { expect, test } from "vitest";
test("adds", () => expect(1 + 1).toBe(3));
`;

  test("`test:long` prints the minutes of each long test file, the failed tests and the number of tests", () => {
    using clone = cloneInstalled();
    const folder = join(clone.directory, "packages/command-line");
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { scripts: object };
    const long = "vitest run .long.test.ts";
    const scripts = { ...manifest.scripts, "test:long": long };
    writeFileSync(join(folder, "package.json"), JSON.stringify({ ...manifest, scripts }));
    writeFileSync(join(folder, "test/slow.long.test.ts"), SLOW);
    writeFileSync(join(folder, "test/quick.long.test.ts"), SLOW.replace("3_100", "0"));
    writeFileSync(join(folder, "test/fails.long.test.ts"), FAILS);
    writeFileSync(join(folder, "test/broken.long.test.ts"), `throw new Error("Not loaded.\\nThe second line.");`);

    const program = join(clone.directory, "packages/repository/src/test.ts");
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [program, "test:long", "--filter=@openapi-operations/command-line"],
      {
        encoding: "utf8",
        env: {
          ...process.env,
          DO_NOT_TRACK: "1",
          PATH: dirname(pnpmPath()) + delimiter + process.env["PATH"], // turbo runs scripts by pnpm
          pnpm_config_verify_deps_before_run: "false", // otherwise pnpm would install into the modules that the clone shares with this checkout
        },
      },
    );
    const summary = stdout.slice(stdout.search(/\n 0\.[1-9] min packages\/command-line\/test\/slow\.long\.test\.ts\n/));
    expect(summary, stderr).toContain("\n 0.0 min packages/command-line/test/quick.long.test.ts\n");
    const [total, ...failed] = summary.slice(summary.indexOf("failed")).trimEnd().split("\n").toReversed();
    expect(failed.toReversed()).toEqual([
      "failed   @openapi-operations/command-line#test:long",
      "failed   packages/command-line/test/broken.long.test.ts (Not loaded.)",
      "failed   packages/command-line/test/fails.long.test.ts > adds (expected 2 to be 3 // Object.is equality)",
    ]);
    expect(total).toMatch(/^2 passed, 2 failed, 0 skipped in \d+ s$/);
    expect(status).toBe(1);
  });
});
