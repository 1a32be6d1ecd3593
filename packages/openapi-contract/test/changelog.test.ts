import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { ContractChange } from "../src/comparison/compare.ts";
import { decisionsBeside } from "../src/comparison/decisions.ts";
import { bundle } from "../src/bundle.ts";
import { changelogEntry, nextEntry, updatedChangelog } from "../src/release/changelog.ts";
import { publishedChangelog } from "../src/release/changelog-sections.ts";
import { release } from "../src/release/released.ts";
import { LESS_PER_PAGE, NEW_PARAMETER, type TemporaryContract, temporaryContract } from "./temporary-contract.ts";

const TODAY = new Date().toISOString().slice(0, 10);
const FIRST = "# Changelog of Petstore\n\nThe changes of each version for clients.\n";
const ADDED = '### New or relaxed\n\n- `GET /pets`: Query parameter "sold" is added. Clients need not send it.';

let own: TemporaryContract;
beforeEach(async () => {
  own = await temporaryContract();
  await setVersion("0.0.0");
});

const setVersion = (version: string) => own.edit([/ version: .*/, ` version: ${version}`]);
const releaseAs = async (version: string) => {
  await setVersion(version);
  await release(await bundle(own.contract), own.released);
};
const update = async (text: string) => updatedChangelog(text, await bundle(own.contract), own.contract, own.released);
const next = async () => nextEntry(await bundle(own.contract), own.contract, own.released);

describe("the changelog", () => {
  test("has a section for each release, the newest first, and one for what is not released", async () => {
    expect(await update("")).toMatch(/\n\n## Unreleased\n\n<!-- .* -->\n\nThe first release\.\n\n<!-- end -->\n$/);
    await releaseAs("1.0.0");
    expect(await update("")).toBe(`${FIRST}\n## 1.0.0 - ${TODAY}\n\nThe first release.\n`);
    await own.edit(NEW_PARAMETER);
    await releaseAs("1.1.0");
    await own.edit(LESS_PER_PAGE);
    const text = await update("");
    expect(text).toContain(
      `\n<!-- end -->\n\n## 1.1.0 - ${TODAY}\n\n${ADDED}\n\n## 1.0.0 - ${TODAY}\n\nThe first release.\n`,
    );
    expect(text).toMatch(
      /\n## Unreleased\n\n<!--[^]*### Breaking: change your calls\n\n- `GET \/pets`: Query parameter "limit"/,
    );
    expect(await update(text)).toBe(text);
  });

  test("takes the words of people around the changes into the section of the release", async () => {
    await releaseAs("1.0.0");
    await own.edit(NEW_PARAMETER);
    const text = await update(
      `# News\n\n## Unreleased\n\nWe sell.\n\n## Not a version\n\n## 1.0.0 - 2020-01-02\n\nHello.\n`,
    );
    const spoken = text.replace("<!-- end -->", "<!-- end -->\n\nEnjoy.");
    expect(await update(spoken)).toBe(spoken);
    await releaseAs("1.1.0");
    expect(await update(spoken)).toBe(
      `# News\n\n## 1.1.0 - ${TODAY}\n\nWe sell.\n\n## Not a version\n\n${ADDED}\n\nEnjoy.\n\n## 1.0.0 - 2020-01-02\n\nHello.\n`,
    );
  });

  test("keeps edited sections, versions that are stored nowhere, and words without a change", async () => {
    await releaseAs("1.0.0");
    const text = `${FIRST}\n## [Unreleased]\n\nSoon.\n\n## [1.0.0] - 2020-01-02\n\nEdited.\n\n## 0.9.0 - 2019-01-02\n\nOld.\n\n[1.0.0]: https://x.example\n`;
    expect(await update(text)).toBe(text.replace("[Unreleased]", "Unreleased"));
  });

  test("inserts a section that is missing between others", async () => {
    await releaseAs("1.0.0");
    const text = `# News\n\n## 1.1.0 - 2020-01-03\n\nB.\n\n## 0.9.0 - 2020-01-01\n\nA.\n`;
    expect(await update(text)).toBe(text.replace("## 0.9.0", `## 1.0.0 - ${TODAY}\n\nThe first release.\n\n## 0.9.0`));
  });

  test("dates a release by the commit that added it", async () => {
    await releaseAs("1.0.0");
    const env = { ...process.env, GIT_COMMITTER_DATE: "2021-03-04T12:00:00Z" };
    const git = (...args: string[]) =>
      execFileSync("git", ["-C", dirname(own.contract), "-c", "user.name=a", "-c", "user.email=a@b", ...args], { env });
    git("init", "--quiet");
    git("add", ".");
    git("commit", "--quiet", "--message", "Release");
    expect(await update("")).toContain("\n## 1.0.0 - 2021-03-04\n");
  });

  test("has no entry for the version itself and for extensions", async () => {
    await releaseAs("1.0.0");
    await own.edit(["      operationId: listPets\n", "      operationId: listPets\n      x-team: secret\n"]);
    await setVersion("1.0.1");
    expect(await next()).toBe("## 1.0.1\n\nNo changes for clients.\n");
  });

  test("names the sunset and the successor of a deprecated operation", async () => {
    await releaseAs("1.0.0");
    const announced =
      'deprecated: true\n      x-deprecated-at: "2026-12-01"\n      x-sunset: "2030-01-01"\n      x-successor: addPet';
    await own.edit(["      operationId: listPets\n", `      operationId: listPets\n      ${announced}\n`]);
    expect(await next()).toContain(
      "### Deprecated: prepare for the removal\n\n- `GET /pets`: The operation is deprecated. It may be removed from 2030-01-01 on. Use `addPet` instead.\n",
    );
  });
});

describe("an entry", () => {
  const change = (message: string, other: Partial<ContractChange> = {}): ContractChange => {
    return { impact: "breaking", place: "GET /pets", message, ...other };
  };
  const words = () => decisionsBeside(own.contract).changelog;

  test("lists each message once with its places, by group, with the reason of an approval", () => {
    const approval = { place: "*", reason: "Nobody\n uses it.\n", by: "Ada", until: "2030-01-01" };
    const changes = [
      change("The operation is removed. Gone.", { approval }),
      change("It is described.", { impact: "documentation" }),
      change("The schema is added.", { impact: "additive", place: "components/schemas/Dog" }),
      change("The schema is added.", { impact: "additive", place: "components/schemas/Cat" }),
      change("The schema is added.", { impact: "additive", place: "components/schemas/Cat" }),
    ];
    expect(changelogEntry(changes, words())).toBe(
      "### Breaking: change your calls\n\n- `GET /pets`: The operation is removed. Gone. The reason: Nobody uses it.\n\n" +
        "### New or relaxed\n\n- `Dog`, `Cat`: The schema is added.\n\n" +
        "### Documentation\n\n- `GET /pets`: It is described.",
    );
    expect(changelogEntry([], words())).toBe("");
  });

  test("shows text of the contract as it is", () => {
    const hostile = "`maximum` a_b _c_ *d* [e](javascript:f) <script>g</script> &amp; \\ `h i` ~j~ \u202e\nk";
    const text = changelogEntry([change(hostile, { place: "GET /`<b>`" })], words());
    const { html } = publishedChangelog(`## 1.0.0 - 2026-01-01\n\n${text}`).releases[0]!;
    const shown = "a_b _c_ *d* [e](javascript:f) &lt;script&gt;g&lt;/script&gt; &amp;amp; \\ `h i` ~j~  k";
    expect(html).toContain(`<li><code>GET /\`&lt;b&gt;\`</code>: <code>maximum</code> ${shown}</li>`);
  });

  test("keeps a title or a path of the contract from beginning a line or ending its code", async () => {
    await own.edit([/title: .*/, 'title: "Pets\\n## 9.0.0 - 2026-01-01 <b>"']);
    expect(await update("")).toMatch(/^# Changelog of Pets ## 9\.0\.0 - 2026-01-01 \\<b\\>\n\n/);
    const entry = changelogEntry([change("It is removed.", { place: "GET /a``<b>\n## 9.0.0" })], words());
    expect(entry).toContain("- ``` GET /a``<b> ## 9.0.0 ```: It is removed.");
  });

  test("replaces its list as a whole, whatever a path contains", async () => {
    await releaseAs("1.0.0");
    await own.edit([/^paths:/m, 'paths:\n  "/<!-- end -->": { get: { responses: { "200": { description: "" } } } }']);
    const text = await update("");
    expect(text).toContain("/<!-- end -->");
    expect(await update(text)).toBe(text);
  });

  test("has the words of comparison.yaml", async () => {
    const file = `${dirname(own.contract)}/comparison.yaml`;
    const headings = "{ breaking: Act now, documentation: null }";
    await writeFile(file, `changelog:\n  headings: ${headings}\n  entry: "{{ message }} ({{places}})"\n`);
    const changes = [change("Keep {{places}}."), change("A text.", { impact: "documentation" })];
    expect(changelogEntry(changes, words())).toBe("### Act now\n\n- Keep {{places}}. (`GET /pets`)");
  });

  test.each([
    ['entry: "{{place}}"', "changelog.entry: {{place}} is not a placeholder. Use {{places}}, {{message}}."],
    [
      'headings: { breaking: "{{ version }}" }',
      "changelog.headings.breaking: {{ version }} is not a placeholder. A heading has none.",
    ],
    ["title: News", 'changelog: Unrecognized key: "title".'],
  ])("rejects %s", async (line, message) => {
    await writeFile(`${dirname(own.contract)}/comparison.yaml`, `changelog:\n  ${line}\n`);
    expect(words).toThrow(message);
  });
});

describe("the published changelog", () => {
  test("has the head and each release as HTML, without comments and what is not released, the latest first", () => {
    const text =
      "# News\n\nOf *us*.\n\n## Unreleased\n\nSoon.\n\n## 1.0.0 (2026-01-01)\n\n<!-- draft -->\n\nOld. <b>\n\n## 1.1.0 — 2026-02-01\n\nNew.";
    expect(publishedChangelog(text)).toEqual({
      head: "<h1>News</h1>\n<p>Of <em>us</em>.</p>",
      releases: [
        { version: "1.1.0", date: "2026-02-01", html: "<p>New.</p>" },
        { version: "1.0.0", date: "2026-01-01", html: "<p>Old. &lt;b&gt;</p>" },
      ],
    });
    expect(publishedChangelog("")).toEqual({ head: "", releases: [] });
  });

  test("without the date of a release is an error that names it", () => {
    for (const heading of ["## 1.0.0", "## 1.0.0 - 2026-02-30"])
      expect(() => publishedChangelog(heading)).toThrow('no date of 1.0.0. Write the day of its release: "## 1.0.0 - ');
  });
});
