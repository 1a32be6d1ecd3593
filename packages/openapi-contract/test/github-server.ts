import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** What the server stores about pull request 12 of `shop/api`. */
export interface GitHubState {
  comments: { id: number; body: string }[];
  labels: string[];
  /** What the token may do. */
  token: "write" | "read" | "limited" | "invalid";
  /** The requests that have changed something. */
  writes: string[];
}

const PATH =
  /^\/api\/v3\/repos\/shop\/api\/issues(?:\/comments\/(?<id>\d+)|\/12\/(?<list>comments|labels)(?:\/(?<name>.+))?)$/;

/**
 * Starts a server that behaves as GitHub Enterprise does for the comments and the labels of a pull request: pages with `Link`, the
 * status and the message of each refusal, the longest body. https://docs.github.com/rest/issues
 */
export async function startGitHub(): Promise<{ state: GitHubState; url: string }> {
  const state: GitHubState = { comments: [], labels: [], token: "write", writes: [] };
  const server = createServer((request, response) => {
    void respond(request, state).then(([status, body, headers = {}]) =>
      response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(JSON.stringify(body)),
    );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  return { state, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v3` };
}

type Answer = [status: number, body: unknown, headers?: Record<string, string>];

async function respond(request: IncomingMessage, state: GitHubState): Promise<Answer> {
  const { method = "", headers } = request;
  const url = new URL(request.url!, `http://${headers.host}`);
  if (headers.authorization !== "Bearer secret" || state.token === "invalid")
    return [401, { message: "Bad credentials" }];
  if (state.token === "limited") return [403, { message: "API rate limit exceeded" }, { "x-ratelimit-remaining": "0" }];
  const { id, list, name } = PATH.exec(url.pathname)?.groups ?? {};
  if (id === undefined && list === undefined) return [404, { message: "Not Found" }];
  if (method === "GET")
    return pageOf(list === "labels" ? state.labels.map((label) => ({ name: label })) : state.comments, url);
  if (state.token === "read") return [403, { message: "Resource not accessible by integration" }];
  const body = JSON.parse((await text(request)) || "{}") as { body: string; labels: string[] };
  state.writes.push(`${method} ${id === undefined ? list : "comment"}`);
  if (list === "labels")
    return method === "POST" ? added(state, body.labels) : removed(state, decodeURIComponent(name!));
  if (body.body.length > 65_536)
    return [422, { message: "Validation Failed: body is too long (maximum is 65536 characters)" }];
  if (method === "POST") state.comments.push({ id: state.comments.length + 1, body: body.body });
  const comment = state.comments.find((each) => each.id === Number(id ?? state.comments.length))!;
  comment.body = body.body;
  return [
    method === "POST" ? 201 : 200,
    { ...comment, html_url: `https://github.example/shop/api/pull/12#${comment.id}` },
  ];
}

function pageOf(items: unknown[], url: URL): Answer {
  const size = Number(url.searchParams.get("per_page") ?? 30);
  const page = Number(url.searchParams.get("page") ?? 1);
  const next = new URL(url);
  next.searchParams.set("page", String(page + 1));
  const links = page * size < items.length ? { Link: `<${url.href}>; rel="first", <${next.href}>; rel="next"` } : {};
  return [200, items.slice((page - 1) * size, page * size), links];
}

/** Names of labels are compared without their case. */
function added(state: GitHubState, names: string[]): Answer {
  for (const name of names)
    if (!state.labels.some((label) => label.toLowerCase() === name.toLowerCase())) state.labels.push(name);
  return [200, state.labels.map((name) => ({ name }))];
}

function removed(state: GitHubState, name: string): Answer {
  const index = state.labels.findIndex((label) => label.toLowerCase() === name.toLowerCase());
  if (index === -1) return [404, { message: "Label does not exist" }];
  state.labels.splice(index, 1);
  return [200, state.labels.map((label) => ({ name: label }))];
}
