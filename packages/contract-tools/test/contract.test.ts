import { writeFile } from "node:fs/promises";
import { beforeEach, describe, expect, test } from "vitest";
import { bundle } from "../src/generate/bundle.ts";
import { CONTRACT_FILE, GENERATED_FOLDER } from "../src/paths.ts";
import { type Check, checkContract } from "../src/release/check.ts";
import { compareVersions, parseVersion, release, versionAfter } from "../src/release/released.ts";
import { LESS_PER_PAGE, NEW_PARAMETER, type TemporaryContract, temporaryContract } from "./temporary-contract.ts";

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
    const checks = await checkContract({ contract, released, generated: GENERATED_FOLDER });
    const messages = checks.map((check) => [check.name, check.findings.map(({ message }) => message).join("\n")]);
    return Object.fromEntries(messages) as Record<Check["name"], string>;
  };

  test("nothing for the current contract", async () => {
    const checks = await checkContract({ contract: CONTRACT_FILE, released, generated: GENERATED_FOLDER });
    expect(checks.map(({ name, findings: found }) => [name, found])).toEqual(
      ["lint", "examples", "deprecations", "schemas", "generated", "compatibility"].map((name) => [name, []]),
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

  test("stale generated files, and an invalid version", async () => {
    await edit(NEW_PARAMETER);
    await edit([/ version: .*/, " version: next"]);
    const found = await findings();
    expect(found.generated).toContain("schema.ts does not match the contract. Run `npx -y pnpm@12.21.0 generate`.");
    expect(found.lint).toBe("info.version is next. Write three numbers, such as 1.0.0.");
  });

  test("costly schemas and operations that cannot be served, without failing", async () => {
    await edit(["pattern: ^[A-Za-z0-9_-]+$", "pattern: ^([A-Za-z0-9_-]+)+$"]);
    await edit([NEW_PARAMETER[0], NEW_PARAMETER[1].replace("sold", "__proto__")]);
    const checks = await checkContract({ contract, released, generated: GENERATED_FOLDER });
    expect(checks.find(({ name }) => name === "schemas")).toEqual({
      name: "schemas",
      passed: "operations that cannot be served: 1; schemas that take more than linear time: 1",
      findings: [],
      warnings: [
        { message: expect.stringMatching(/^listPets cannot be served: query __proto__: /) as string },
        { message: expect.stringMatching(/^\w+, \w+.*: the pattern .* backtracks/) as string },
      ],
    });
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

  test("YAML that cannot be parsed, with the line of the error", async () => {
    await writeFile(contract, "openapi: 3.1.1\ninfo: [\n");
    const [lint, ...others] = await checkContract({ contract, released, generated: GENERATED_FOLDER });
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
