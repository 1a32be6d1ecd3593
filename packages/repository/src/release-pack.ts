/** `pnpm release:pack`: packs the published packages into `dist`, each with its repository and its bill of materials. */
import { spawnSync } from "node:child_process";
import { createProgram, runProgram } from "@openapi-operations/command-line";
import { root } from "@platform/test-support/clone";
import { publishedPackages } from "@platform/test-support/published";

const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, npm_execpath: pnpm } = process.env;

const program = createProgram("release:pack", {
  description: "Packs the published packages into dist, each with its repository and its bill of materials.",
  folder: import.meta.dirname,
}).action(pack);

await runProgram(program);

function pack(): void {
  if (server === undefined || repository === undefined || pnpm === undefined)
    throw new Error(
      "The release workflow sets GITHUB_SERVER_URL and GITHUB_REPOSITORY. Pack with `pnpm release:pack`.",
    );
  const packages = publishedPackages().map(({ folder }) => `--filter=./${folder}`);
  run(...packages, "exec", "npm", "pkg", "set", `repository.url=git+${server}/${repository}.git`);
  run("exec", "changeset", "pack", "--out-dir", "dist");
  const bill = ["--sbom-format", "cyclonedx", "--prod", "--split", "--lockfile-only", "--out", "dist/%s-%v.cdx.json"];
  run("sbom", ...bill, ...packages);
}

function run(...args: string[]): void {
  const { status } = spawnSync(pnpm!, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
