/** `pnpm release:pack`: packs the published packages into `dist`, each with its repository and its bill of materials. */
import { spawnSync } from "node:child_process";
import { createProgram, runProgram } from "@platform/command-line";
import { ROOT } from "../paths.ts";

const PACKAGES = "./packages/{client,express-operations,fetch-operations,openapi-document}";
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
  run("--filter", PACKAGES, "exec", "npm", "pkg", "set", `repository.url=git+${server}/${repository}.git`);
  run("exec", "changeset", "pack", "--out-dir", "dist");
  const bill = ["--sbom-format", "cyclonedx", "--prod", "--split", "--lockfile-only", "--out", "dist/%s-%v.cdx.json"];
  run("sbom", ...bill, "--filter", PACKAGES);
}

function run(...args: string[]): void {
  const { status } = spawnSync(pnpm!, args, { cwd: ROOT, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
