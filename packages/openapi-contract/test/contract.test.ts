import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { bundle } from "../src/bundle.ts";
import { CONTRACT_FILE } from "../src/paths.ts";
import { type Check, checkContract } from "../src/release/check.ts";
import { compareVersions, parseVersion, release, versionAfter } from "../src/release/released.ts";
import { LESS_PER_PAGE, type TemporaryContract, temporaryContract } from "./temporary-contract.ts";

let contract: string;
let released: string;
let edit: TemporaryContract["edit"];
let versionOf: TemporaryContract["version"];
beforeEach(async () => {
  ({ contract, released, edit, version: versionOf } = await temporaryContract());
});

test("release rejects other content for a released version", async () => {
  const document = await bundle(contract);
  const kept = await release(document, released);
  expect(await release(document, released)).toBe(kept);
  await edit(LESS_PER_PAGE);
  await expect(release(await bundle(contract), released)).rejects.toThrow("is already released with other content");
});

describe("a check reports", () => {
  const findings = async (): Promise<Record<Check["name"], string>> => {
    const checks = await checkContract({ contract, released });
    const messages = checks.map((check) => [check.name, check.findings.map(({ message }) => message).join("\n")]);
    return Object.fromEntries(messages) as Record<Check["name"], string>;
  };

  test("nothing for the current contract", async () => {
    const checks = await checkContract({ contract: CONTRACT_FILE, released });
    expect(checks.map(({ name, findings: found }) => [name, found])).toEqual(
      ["lint", "examples", "deprecations", "compatibility"].map((name) => [name, []]),
    );
  });

  test("broken rules, invalid examples and deprecations against the policy", async () => {
    await edit(["tags: [Pets]", "tags: []"]);
    await edit(["value: 10\n", "value: 101\n"]);
    await edit([/x-sunset: .*/, 'x-sunset: "2027-05-19"']);
    await edit(["x-successor: listPets", "x-successor: findPets"]);
    const found = await findings();
    expect(found.lint).toMatch(/^Name the tag of each operation\.$/);
    expect(found.examples).toMatch(/must be <= 100/);
    expect(found.deprecations).toMatch(/at least 180 days.*\n.*operationId of the contract/);
  });

  test("an invalid version", async () => {
    await edit([/ version: .*/, " version: next"]);
    expect((await findings()).lint).toBe("info.version is next. Write three numbers, such as 1.0.0.");
  });

  test("a major version that differs from the path of the servers", async () => {
    await edit([/ version: .*/, " version: 9.0.0"]);
    expect((await findings()).lint).toMatch(
      /^info\.version is 9\.0\.0, so the path of each server must end in \/v9\. This one does not: http/,
    );
  });

  test("a breaking change, until the contract has a new major version and path", async () => {
    const version = await versionOf();
    const next = versionAfter(parseVersion(version)!, "breaking");
    await release(await bundle(contract), released);
    await edit(LESS_PER_PAGE);
    expect((await findings()).compatibility).toContain(`is breaking, so info.version must be at least ${next}`);
    await edit([`version: ${version}`, `version: ${next}`]);
    await edit([/(petstore\.example)\/v\d+/g, `$1/v${parseVersion(next)![0]}`]);
    expect((await findings()).compatibility).toBe("");
  });

  test("no breaking change that the file beside the contract approves, but an approval of nothing", async () => {
    const version = await versionOf();
    await release(await bundle(contract), released);
    await edit(LESS_PER_PAGE);
    await edit([`version: ${version}`, `version: ${versionAfter(parseVersion(version)!, "additive")}`]);
    const approval = "{ reason: Pages were slow., by: Ada, until: 2999-01-31, place: ";
    const decisions = `approved:\n  - ${approval}GET /pets }\n`;
    await writeFile(join(dirname(contract), "comparison.yaml"), decisions);
    expect((await findings()).compatibility).toBe("");
    await writeFile(join(dirname(contract), "comparison.yaml"), `${decisions}  - ${approval}POST /pets }\n`);
    expect((await findings()).compatibility).toMatch(/^The approval of POST \/pets .* applies to no breaking change/);
  });

  test("a fault in the file beside the contract, also before the first release", async () => {
    await writeFile(join(dirname(contract), "comparison.yaml"), "approvals: []\n");
    await expect(findings()).rejects.toThrow('Unrecognized key: "approvals"');
  });

  test("YAML that cannot be parsed, with the line of the error", async () => {
    await writeFile(contract, "openapi: 3.1.1\ninfo: [\n");
    const [lint, ...others] = await checkContract({ contract, released });
    expect(others).toEqual([]); // nothing else has been checked
    expect(lint?.findings).toMatchObject([{ message: expect.any(String), at: { file: expect.any(String), line: 3 } }]);
  });
});

test("versions are ordered as numbers", () => {
  const versions = ["1.10.0", "1.9.9", "2.0.0", "1.9.10"].map((text) => parseVersion(text)!);
  expect(versions.toSorted(compareVersions).map((version) => version.join("."))).toEqual([
    "1.9.9",
    "1.9.10",
    "1.10.0",
    "2.0.0",
  ]);
  expect(["1.0", "v1.0.0", "1.0.0-rc.1", ""].map(parseVersion)).toEqual([undefined, undefined, undefined, undefined]);
});
