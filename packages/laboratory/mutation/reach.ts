import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { withRecorders } from "./mutants.ts";
import { runTests, type TestFile, type Sandbox } from "./test-runs.ts";
import { distribute } from "./distribute.ts";

/** A test file with the points that it reaches and its duration, when it runs alone. */
export interface Reach extends TestFile {
  points: Set<string>;
  milliseconds: number;
  hasPassed: boolean;
}

/**
 * Runs each test file alone, with a recorder at every statement of `sources`, and returns the statements that it reached,
 * also in the processes and workers that it started. Sorts the test files by duration.
 */
export async function measureReach(
  sandboxes: Sandbox[],
  files: TestFile[],
  sources: Map<string, string>,
): Promise<Reach[]> {
  const write = (text: (source: string, file: string) => string): void => {
    for (const { root, folder } of sandboxes)
      for (const [file, source] of sources) writeFileSync(join(root, folder, file), text(source, file));
  };
  write(withRecorders);
  const reaches = await distribute(sandboxes, files, async (sandbox, { name }, index) => {
    const notes = join(sandbox.temporary, `points-${index}`);
    const recorder = pathToFileURL(join(sandbox.root, "packages/laboratory/mutation/record-points.mjs")).href;
    const began = performance.now();
    const result = await runTests(
      sandbox,
      { files: [{ name }], stopAtFailure: false },
      { env: { NODE_OPTIONS: `--import=${recorder}`, MUTATION_POINTS: notes } },
    );
    const points = new Set(existsSync(notes) ? readFileSync(notes, "utf8").split("\n") : []);
    const hasPassed = typeof result !== "string" && result.files.every(({ failure }) => failure === undefined);
    return { name, points, milliseconds: performance.now() - began, hasPassed };
  });
  write((source) => source);
  return reaches.toSorted((a, b) => a.milliseconds - b.milliseconds);
}
