import { parseAtomFeed } from "feedsmith";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startThings, type Things } from "../testing/start-things.ts";

const CHANGELOG = {
  head: "<h1>News</h1>\n<p>Of things.</p>",
  releases: [
    { version: "1.1.0", date: "2026-02-01", html: '<p>A &lt;b&gt; "c" &amp; <code>d</code>\u0000.</p>' },
    { version: "1.0.0", date: "2026-01-01", html: "<p>The first release.</p>" },
  ],
};
const PAGE = "/docs/changelog";
const FEED = "/docs/changelog.atom";

let service: Things;
beforeAll(async () => void (service = await startThings({ changelog: CHANGELOG })));
afterAll(() => service[Symbol.asyncDispose]());

const get = (path: string, init?: RequestInit) => fetch(new URL(path, service.baseUrl), init);

test("the feed has one entry for each release, which a feed reader reads", async () => {
  const response = await get(FEED);
  expect(response.headers.get("Content-Type")).toBe("application/atom+xml; charset=utf-8");
  expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
  const { origin } = new URL(service.baseUrl);
  const link = (href: string) => ({ rel: "alternate", type: "text/html", href: origin + href });
  expect(parseAtomFeed(await response.text())).toEqual({
    id: "tag:things.example,2026-01-01:/changelog",
    title: { value: "Changelog of Things" },
    updated: "2026-02-01T00:00:00Z",
    authors: [{ name: "Things" }],
    links: [{ rel: "self", type: "application/atom+xml", href: origin + FEED }, link(PAGE)],
    entries: CHANGELOG.releases.map(({ version, date, html }) => ({
      id: `tag:things.example,${date}:/${version}`,
      title: { value: `Things ${version}` },
      updated: `${date}T00:00:00Z`,
      links: [link(`${PAGE}#${version}`)],
      content: { type: "html", value: html.replace("\0", "") },
    })),
  });
});

test("the page has each release with its date, and announces the feed to readers", async () => {
  const response = await get(PAGE);
  expect(response.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
  const text = await response.text();
  expect(text).toContain(
    '<link rel="alternate" type="application/atom+xml" title="Changelog of Things" href="changelog.atom">',
  );
  for (const { version, date, html } of CHANGELOG.releases) {
    expect(text).toContain(`<section id="${version}">`);
    expect(text).toContain(`<time datetime="${date}">${date}</time></h2>\n${html}`);
  }
});

test("the page runs no script and loads nothing", async () => {
  const policy = (await get(PAGE)).headers.get("Content-Security-Policy")!;
  expect(policy).toMatch(
    /^default-src 'none';style-src 'sha256-[^']+';img-src data:;base-uri 'none';form-action 'none';frame-ancestors 'none'$/,
  );
});

test.each([PAGE, FEED])("%s has an ETag, responds to HEAD, and rejects POST with 405", async (path) => {
  const whole = await get(path);
  const tag = whole.headers.get("ETag")!;
  expect(whole.headers.get("Cache-Control")).toBe("private, no-cache");
  const again = await get(path, { headers: { "If-None-Match": tag } });
  expect([again.status, await again.text()]).toEqual([304, ""]);
  const head = await get(path, { method: "HEAD" });
  expect(Number(head.headers.get("Content-Length"))).toBe((await whole.arrayBuffer()).byteLength);
  const refused = await get(path, { method: "POST" });
  expect([refused.status, refused.headers.get("Allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
});

test("the reference page names the latest release and links both", async () => {
  expect(await (await get("/docs")).text()).toContain('"url":"/docs/openapi.json"');
  const { info } = (await (await get("/docs/openapi.json")).json()) as { info: { description: string } };
  expect(info.description).toBe(
    "Released on 2026-02-01: [changes in 1.1.0](docs/changelog#1.1.0), also as [a feed](docs/changelog.atom).",
  );
});

test("before the first release there is neither page nor feed", async () => {
  await using unreleased = await startThings({ changelog: { head: "", releases: [] } });
  for (const path of [PAGE, FEED]) expect((await fetch(new URL(path, unreleased.baseUrl))).status).toBe(404);
  const shown = await (await fetch(new URL("/docs/openapi.json", unreleased.baseUrl))).json();
  expect(shown).not.toHaveProperty("info.description");
});
