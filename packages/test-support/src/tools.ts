import type { TestContext } from "vitest";

/**
 * Skips a test whose tool is missing, with the reason. In CI the test fails instead, because `.ci/run` installs every tool that
 * tests look for. `MAY_LACK_TOOLS` makes an exception for a job that runs `test` alone.
 */
export function needsTool(
  { skip }: Pick<TestContext, "skip">,
  absence: string | undefined,
): asserts absence is undefined {
  if (absence === undefined) return;
  const { CI, MAY_LACK_TOOLS } = process.env;
  if (CI && !MAY_LACK_TOOLS) throw new Error(`A tool is missing in CI: ${absence}`);
  skip(absence);
}
