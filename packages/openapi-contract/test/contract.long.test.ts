import { execFile } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { bundle } from "../src/bundle.ts";
import { CONTRACT_FILE, ROOT } from "../src/paths.ts";
import { parseVersion, release, versionAfter } from "../src/release/released.ts";
import { LESS_PER_PAGE, NEW_PARAMETER, type TemporaryContract, temporaryContract } from "./temporary-contract.ts";

let folder: string;
let contract: string;
let released: string;
let edit: TemporaryContract["edit"];
let versionOf: TemporaryContract["version"];
beforeEach(async () => {
  ({ folder, contract, released, edit, version: versionOf } = await temporaryContract());
});

describe("openapi-contract", () => {
  test("releases, checks and compares a contract, writes its changelog and releases it again", async () => {
    const version = await versionOf();
    const next = versionAfter(parseVersion(version)!, "additive");
    await release(await bundle(contract), released);
    expect(await readdir(released)).toEqual([`${version}.yaml`]);
    expect(await run("diff")).toEqual({ exitCode: 0, stdout: "The contract has not changed.\n", stderr: "" });

    await edit(NEW_PARAMETER);
    const failed = await run("check");
    expect(failed.exitCode).toBe(1);
    expect(failed.stdout).toContain(`so info.version must be at least ${next}. It is ${version}.`);
    expect(failed.stdout).toMatch(/ {2}additive +GET \/pets: .* \(\S+openapi\.yaml:\d+\)/);

    await edit([`version: ${version}`, `version: ${next}`]);
    const { stdout: entry } = await run("changelog", "--print");
    const change = '### New or relaxed\n\n- `GET /pets`: Query parameter "sold" is added. Clients need not send it.\n';
    expect(entry).toBe(`## ${next}\n\n${change}`);
    expect(await run("changelog", "--check")).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining("is not up to date. Run `npx openapi-contract changelog`.") as string,
    });
    const { stdout: json } = await run("diff", "--format", "json");
    expect(JSON.parse(json)).toMatchObject({ entries: [{ impact: "additive", place: "GET /pets" }, {}] });

    expect(await run("release")).toMatchObject({ exitCode: 0 });
    expect(await readdir(released)).toEqual([`${version}.yaml`, `${next}.yaml`]);
    const changelog = await readFile(join(folder, "CHANGELOG.md"), "utf8");
    expect(changelog).toMatch(
      new RegExp(`\\n## ${next} - \\d{4}-\\d\\d-\\d\\d\\n\\n### New or relaxed\\n[^]*\\n## ${version} - `),
    );
    expect(await run("changelog", "--check")).toMatchObject({ exitCode: 0 });
  });

  test("check --format github annotates the lines of a pull request", async () => {
    await release(await bundle(contract), released);
    await edit(LESS_PER_PAGE);
    const { exitCode, stdout } = await run("check", "--format", "github");
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^::error title=compatibility::The most severe change since \S+ is breaking,/m);
    expect(stdout).toMatch(
      /^::error file=\S+openapi\.yaml,line=\d+,title=breaking::GET \/pets: Query parameter "limit": `maximum` changes from 100 to 50\. Narrows the request/m,
    );
  });

  test("check takes the contract as its argument", async () => {
    const other = join(folder, "other.yaml");
    await writeFile(other, "openapi: 3.1.1\ninfo: { title: Shop }\npaths: {}\n");
    const { exitCode, stdout } = await run("check", other);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/other\.yaml:2.*`version`/);
  });

  test("diff compares with a git revision, and rejects an unknown revision", async () => {
    const committed = ["--contract", CONTRACT_FILE];
    const { stdout, exitCode } = await run("diff", "HEAD", "--format", "json", ...committed);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ entries: expect.any(Array) });
    expect(await run("diff", "no-such-revision", ...committed)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^The git revision no-such-revision has no contract: /),
    });
  });
});

async function run(command: string, ...options: string[]) {
  const args = [command, "--contract", contract, "--released", released, ...options];
  return new Promise<{ exitCode: number | null; stdout: string; stderr: string }>((done) => {
    const file = resolve(import.meta.dirname, "../src/bin/openapi-contract.ts");
    const child = execFile(process.execPath, [file, ...args], { cwd: ROOT }, (_error, stdout, stderr) =>
      done({ exitCode: child.exitCode, stdout, stderr }),
    );
  });
}
