/**
 * Runs test files of the package in the working directory, one after the other in the given order, and may stop at the
 * first failure. Without files, it lists the test files. `test-runs.ts` starts it; requests and results are IPC messages.
 */
import { once } from "node:events";
import { createVitest, type TestModule, type TestSpecification } from "vitest/node";
import { FILE_END, type Request, type Result, type TestFile } from "./test-runs.ts";

/** Keeps the given order. Vitest would start with files that failed or were slow, which means nothing for a mutant. */
class GivenOrder {
  sort(files: TestSpecification[]): TestSpecification[] {
    return files;
  }
  shard(files: TestSpecification[]): TestSpecification[] {
    return files;
  }
}

const [{ files, stopAtFailure }] = (await once(process, "message")) as [Request];
const vitest = await createVitest("test", {
  dir: "test",
  watch: false,
  maxWorkers: 1,
  bail: stopAtFailure ? 1 : 0,
  reporters: [{ onTestModuleEnd: () => void process.send!(FILE_END) }],
  sequence: { sequencer: GivenOrder },
});
const known = await vitest.globTestSpecifications();
const result: Result = { files: known.map(fileOf), unhandled: [] };
if (files !== undefined) {
  const wanted = files.map(
    (file) => known.find((specification) => fileOf(specification).name === file.name) ?? missing(file.name),
  );
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(wanted);
  result.files = testModules.map((module) => ({
    ...fileOf(module),
    milliseconds: module.diagnostic().duration + module.diagnostic().collectDuration,
    failure: firstFailureIn(module),
  }));
  result.unhandled = unhandledErrors.map((error) => (error as Error).message);
}
await vitest.close();
process.send!(result, () => process.exit());

function fileOf({ project, moduleId }: TestSpecification | TestModule): TestFile {
  const path = moduleId.slice(project.config.root.length + 1);
  return { name: project.name === "" ? path : `${path} (${project.name})` };
}

function firstFailureIn(module: TestModule): string | undefined {
  if (module.state() !== "failed") return undefined;
  for (const test of module.children.allTests()) if (test.result().state === "failed") return test.fullName;
  return "the file cannot be loaded, or a hook fails";
}

function missing(name: string): never {
  throw new Error(`There is no test file ${name}.`);
}
