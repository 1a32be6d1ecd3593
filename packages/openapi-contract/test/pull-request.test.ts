import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "@platform/test-support/temporary";
import { beforeEach, describe, expect, test } from "vitest";
import { type PullRequestReport, reportOnPullRequest } from "../src/pull-request.ts";
import { type GitHubState, startGitHub } from "./github-server.ts";

const BREAKING: PullRequestReport = {
  key: "",
  text: "## 1 breaking\n",
  changes: [{ impact: "breaking" }, { impact: "documentation" }],
  labels: ["breaking change", "contract change"],
};
const ADDITIVE: PullRequestReport = { ...BREAKING, text: "## 1 additive\n", changes: [{ impact: "additive" }] };
const NONE: PullRequestReport = { ...BREAKING, text: "## None\n", changes: [] };

let state: GitHubState;
let env: Record<string, string>;
let happen: (event: object) => Promise<void>;
beforeEach(async () => {
  const github = await startGitHub();
  const folder = await temporaryFolder();
  const file = join(folder, "event.json");
  happen = (event) => writeFile(file, JSON.stringify(event));
  await happen({ pull_request: { number: 12, head: { repo: { full_name: "shop/api" } } } });
  ({ state } = github);
  env = {
    GITHUB_API_URL: github.url,
    GITHUB_EVENT_PATH: file,
    GITHUB_REPOSITORY: "shop/api",
    GITHUB_TOKEN: "secret",
  };
});
const report = (of: PullRequestReport) => reportOnPullRequest(of, env);
const bodies = () => state.comments.map(({ body }) => body.replace(/^<!--.*-->\n/, ""));

describe("a report on a pull request", () => {
  test("is one comment, which each push updates", async () => {
    expect(await report(BREAKING)).toBe("Added https://github.example/shop/api/pull/12#1");
    expect(await report(ADDITIVE)).toBe("Updated https://github.example/shop/api/pull/12#1");
    expect(bodies()).toEqual(["## 1 additive\n"]);
    await report(NONE);
    expect(bodies()).toEqual(["## None\n"]);
  });

  test("is found among more comments than one page has, and not in a quotation or in the report on another contract", async () => {
    await report({ ...ADDITIVE, key: "orders/openapi.yaml --> <b>" });
    await report(BREAKING);
    const [other, own] = state.comments;
    const others = Array.from({ length: 250 }, (_, index) => ({ id: 100 + index, body: `> ${own!.body}` }));
    state.comments = [other!, ...others, own!];
    expect(await report(ADDITIVE)).toBe("Updated https://github.example/shop/api/pull/12#2");
    expect(state.comments).toHaveLength(252);
    expect(other!.body).toMatch(/^<!-- [^<>]* -->\n## 1 additive\n$/);
  });

  test("is not added if nothing has changed", async () => {
    expect(await report(NONE)).toBe("Nothing has changed, so no comment is added.");
    expect(state.writes).toEqual([]);
  });

  test("is shortened at the end of a line to the longest comment of GitHub", async () => {
    await report({ ...BREAKING, text: "A line of the report\n".repeat(5_000) });
    const { body } = state.comments[0]!;
    expect(body.length).toBeLessThanOrEqual(65_536);
    expect(body.length).toBeGreaterThan(65_000);
    expect(body).toMatch(
      /\nA line of the report\n\nThe report is too long for a comment\. The summary of the job has more\.\n$/,
    );
  });
});

describe("the labels of a pull request", () => {
  test("follow the changes, and those of others stay", async () => {
    state.labels = ["bug"];
    await report(BREAKING);
    expect(state.labels).toEqual(["bug", "breaking change", "contract change"]);
    await report(ADDITIVE);
    expect(state.labels).toEqual(["bug", "contract change"]);
    await report(NONE);
    expect(state.labels).toEqual(["bug"]);
  });

  test("have the names that are configured, whatever their case, or none", async () => {
    state.labels = ["API/Breaking? 💥"];
    await report({ ...BREAKING, labels: ["api/breaking? 💥"] });
    await report({ ...BREAKING, labels: [""] });
    expect(state.writes).toEqual(["POST comments", "PATCH comment"]);
    await report({ ...NONE, labels: ["api/breaking? 💥"] });
    expect(state.labels).toEqual([]);
  });
});

describe("a token that may not write", () => {
  const FORK = { number: 12, head: { repo: { full_name: "someone/api" } } };
  beforeEach(() => {
    state.token = "read";
  });

  test.each([
    ["a fork", FORK],
    ["a deleted fork", { ...FORK, head: { repo: null } }],
  ])("is expected in a pull request from %s", async (_, pull_request) => {
    await happen({ pull_request });
    expect(await report(BREAKING)).toBe(
      "The pull request comes from a fork, whose token may not comment. The summary of the job has the report.",
    );
  });

  test("is an error elsewhere, which names the permission", async () => {
    await expect(report(BREAKING)).rejects.toThrow(
      /^POST \S+\/12\/comments responds with status 403: Resource not accessible by integration\nGive the job `permissions: { pull-requests: write }`/,
    );
    state.token = "invalid";
    await expect(report(BREAKING)).rejects.toThrow(/status 401: Bad credentials\n.*pass its token as GITHUB_TOKEN\.$/);
  });

  test("is not confused with a limit, or with a service that does not respond", async () => {
    await happen({ pull_request: FORK });
    state.token = "limited";
    await expect(report(BREAKING)).rejects.toThrow(/status 403: API rate limit exceeded\nRun the job again\.$/);
    env["GITHUB_API_URL"] = "http://127.0.0.1:1";
    await expect(report(BREAKING)).rejects.toThrow(
      /^GET http:\/\/127\.0\.0\.1:1\/\S+ fails: (?:connect ECONNREFUSED|bad port)/,
    );
  });
});

test("a job that runs for no pull request has nothing to comment on, and one without a token fails", async () => {
  await happen({ ref: "refs/heads/main" });
  expect(await report(BREAKING)).toBe("This job does not run for a pull request, so there is nothing to comment on.");
  delete env["GITHUB_TOKEN"];
  await expect(report(BREAKING)).rejects.toThrow("--comment needs GITHUB_TOKEN. Run it in GitHub Actions");
});
