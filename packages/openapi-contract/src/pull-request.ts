import { appendFile, readFile } from "node:fs/promises";
import type { Impact } from "./comparison/changes.ts";

/** The report on a pull request. */
export interface PullRequestReport {
  /** Tells the comments of several reports on one pull request apart. */
  key: string;
  /** Markdown; what exceeds the longest comment is left out. */
  text: string;
  /** Without any, a comment is only updated, not added. */
  changes: { impact: Impact }[];
  /** The label for breaking changes, and that for any change; without a name, there is none. */
  labels: string[];
}

type Environment = Record<string, string | undefined>;

/** The longest comment that GitHub stores, in characters. */
const MAX_LENGTH = 65_536;
const CUT = "\n\nThe report is too long for a comment. The summary of the job has more.\n";

/** Appends Markdown to the summary of a job of GitHub Actions; elsewhere does nothing. */
export async function summarize(text: string, { GITHUB_STEP_SUMMARY }: Environment = process.env): Promise<void> {
  if (GITHUB_STEP_SUMMARY) await appendFile(GITHUB_STEP_SUMMARY, `${text}\n`);
}

/**
 * Writes a report to its comment of the pull request that runs the job of GitHub Actions, and labels the pull request. Returns what it
 * has done. Without a pull request, or if it comes from a fork, whose token may only read, that is nothing. Rejects if a
 * variable or a permission is missing.
 */
export async function reportOnPullRequest(report: PullRequestReport, env: Environment = process.env): Promise<string> {
  const { GITHUB_EVENT_PATH, GITHUB_REPOSITORY, GITHUB_TOKEN } = env;
  for (const [name, value] of Object.entries({ GITHUB_EVENT_PATH, GITHUB_REPOSITORY, GITHUB_TOKEN }))
    if (!value) throw new Error(`--comment needs ${name}. Run it in GitHub Actions, with GITHUB_TOKEN in \`env\`.`);
  const { pull_request: pull } = JSON.parse(await readFile(GITHUB_EVENT_PATH!, "utf8")) as Event;
  if (pull === undefined) return "This job does not run for a pull request, so there is nothing to comment on.";
  const issues = `${env["GITHUB_API_URL"] ?? "https://api.github.com"}/repos/${GITHUB_REPOSITORY}/issues`;
  const github = new GitHub(GITHUB_TOKEN!);
  try {
    const comment = await writeComment(github, issues, pull.number, report);
    await writeLabels(github, `${issues}/${pull.number}/labels`, report);
    return comment;
  } catch (error) {
    if (!(error instanceof Forbidden) || pull.head.repo?.full_name === GITHUB_REPOSITORY) throw error;
    return `The pull request comes from a fork, whose token may not comment. The summary of the job has the report.`;
  }
}

interface Event {
  /** `repo` is null if the fork is deleted. */
  pull_request?: { number: number; head: { repo: { full_name: string } | null } };
}

/** A comment of ours begins with a marker. One that quotes it does not. */
async function writeComment(
  github: GitHub,
  issues: string,
  number: number,
  { key, text, changes }: PullRequestReport,
): Promise<string> {
  const marker = `<!-- openapi-contract: ${encodeURIComponent(key)} -->`;
  const body = shortened(`${marker}\n${text}`);
  const comments = await github.list<{ id: number; body?: string }>(`${issues}/${number}/comments?per_page=100`);
  const own = comments.find((comment) => comment.body?.startsWith(marker));
  if (own === undefined && changes.length === 0) return "Nothing has changed, so no comment is added.";
  const { html_url: url } =
    own === undefined
      ? await github.send<Comment>("POST", `${issues}/${number}/comments`, { body })
      : await github.send<Comment>("PATCH", `${issues}/comments/${own.id}`, { body });
  return `${own === undefined ? "Added" : "Updated"} ${url}`;
}

interface Comment {
  html_url: string;
}

function shortened(body: string): string {
  if (body.length <= MAX_LENGTH) return body;
  const kept = body.slice(0, MAX_LENGTH - CUT.length);
  return kept.slice(0, kept.lastIndexOf("\n")) + CUT;
}

/** GitHub creates a label that the repository lacks. One that no longer applies is removed. */
async function writeLabels(github: GitHub, url: string, { changes, labels }: PullRequestReport): Promise<void> {
  const [breaking = "", any = ""] = labels;
  const applies: [name: string, applies: boolean][] = [
    [breaking, changes.some(({ impact }) => impact === "breaking")],
    [any, changes.length > 0],
  ];
  const list = await github.list<{ name: string }>(`${url}?per_page=100`);
  const present = new Set(list.map(({ name }) => name.toLowerCase()));
  for (const [name, isWanted] of applies) {
    if (name === "" || present.has(name.toLowerCase()) === isWanted) continue;
    if (isWanted) await github.send("POST", url, { labels: [name] });
    else await github.send("DELETE", `${url}/${encodeURIComponent(name)}`);
  }
}

/** The token may not do this. */
class Forbidden extends Error {}

/** The REST API of GitHub: https://docs.github.com/rest */
class GitHub {
  readonly #token: string;

  constructor(token: string) {
    this.#token = token;
  }

  /** Returns the items of all pages. */
  async list<Item>(url: string): Promise<Item[]> {
    const items: Item[] = [];
    for (let next: string | undefined = url; next !== undefined;) {
      const response: Response = await this.#request("GET", next);
      items.push(...((await response.json()) as Item[]));
      next = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
    }
    return items;
  }

  async send<Answer>(method: string, url: string, body?: object): Promise<Answer> {
    return (await (await this.#request(method, url, body)).json()) as Answer;
  }

  async #request(method: string, url: string, body?: object): Promise<Response> {
    const response = await fetch(url, {
      method,
      headers: {
        Accept: "application/vnd.github+json",
        Authorization: `Bearer ${this.#token}`,
        "X-GitHub-Api-Version": "2022-11-28",
      },
      signal: AbortSignal.timeout(30_000),
      ...(body && { body: JSON.stringify(body) }),
    }).catch((error: Error) => {
      throw new Error(`${method} ${url} fails: ${((error.cause as Error | undefined) ?? error).message}`, {
        cause: error,
      });
    });
    if (response.ok) return response;
    const { message = "" } = (await response.json().catch(() => ({}))) as { message?: string };
    const failure = `${method} ${url} responds with status ${response.status}: ${message}`;
    const isLimited = response.status === 429 || response.headers.get("x-ratelimit-remaining") === "0";
    if (isLimited || ![401, 403, 404].includes(response.status)) throw new Error(`${failure}\nRun the job again.`);
    throw new Forbidden(
      `${failure}\nGive the job \`permissions: { pull-requests: write }\`, and pass its token as GITHUB_TOKEN.`,
    );
  }
}
