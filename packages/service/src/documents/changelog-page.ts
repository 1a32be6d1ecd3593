import { hash } from "node:crypto";
import type { Router } from "express";
import { readOnlyRoutes } from "../http/express-handlers.ts";
import { type ServedDocument, tagged } from "./contract-document.ts";

/** The paths of the changelog: for people, and for their feed readers. */
export const CHANGELOG = "/docs/changelog";
export const FEED = `${CHANGELOG}.atom`;

/** The changelog of a contract as HTML, the latest release first. `contract generate` makes it. */
export interface Changelog {
  /** The title and the introduction. */
  head: string;
  /** `date` is such as `2026-12-05`. */
  releases: { version: string; date: string; html: string }[];
}

/**
 * Serves a changelog as a page at `/docs/changelog`, and as an Atom feed (RFC 4287) at `/docs/changelog.atom`. Before the first
 * release there is neither. The changelog is loaded at the first request.
 */
export function changelogPage(document: ServedDocument, load: () => Promise<Changelog>): Router {
  const rendered = (render: (changelog: Changelog, origin: string) => string) => async (origin: string) => {
    const changelog = await load();
    return changelog.releases.length === 0 ? undefined : render(changelog, origin);
  };
  const ofPage = { "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": POLICY };
  const ofFeed = { "Content-Type": "application/atom+xml; charset=utf-8" };
  const page = rendered((changelog) => pageOf(document, changelog));
  const feed = rendered((changelog, origin) => feedOf(document, changelog, origin));
  return readOnlyRoutes({ [CHANGELOG]: tagged(ofPage, page), [FEED]: tagged(ofFeed, feed) });
}

const STYLES = `
:root { color-scheme: light dark; background: light-dark(#fff, #121212); font: 16px/1.6 system-ui, sans-serif; }
body { max-width: 46rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; overflow-wrap: anywhere; }
h1 { line-height: 1.2; }
h2 { margin: 3rem 0 0; padding-top: 1rem; border-top: 1px solid light-dark(#ddd, #444); }
h2 a { color: inherit; text-decoration: none; }
h2 a:hover { text-decoration: underline; }
h3 { margin: 1.5rem 0 0; font-size: 1.05rem; }
time { margin-left: .5rem; font-size: 1rem; font-weight: normal; color: light-dark(#595959, #aaa); }
ul { padding-left: 1.25rem; }
li { margin: .5rem 0; }
code { padding: .1em .3em; border-radius: 4px; background: light-dark(#f0f0f0, #2a2a2a); font-size: .9em; }
a { color: light-dark(#0062b8, #6cb6ff); }
nav { display: flex; gap: 1.25rem; }
`;

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hash("sha256", STYLES, "base64")}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join(";");

function pageOf({ info }: ServedDocument, { head, releases }: Changelog): string {
  const sections = releases.map(
    ({ version, date, html }) =>
      `<section id="${version}">\n<h2><a href="#${version}">${version}</a> <time datetime="${date}">${date}</time></h2>\n${html}\n</section>`,
  );
  const title = escaped(`Changelog of ${info.title}`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="alternate" type="application/atom+xml" title="${title}" href="changelog.atom">
<link rel="icon" href="data:,">
<style>${STYLES}</style>
</head>
<body>
<nav><a href="../docs">Reference</a> <a href="changelog.atom">Atom feed</a></nav>
<main>
${head}
${sections.join("\n")}
</main>
</body>
</html>
`;
}

function feedOf(document: ServedDocument, { releases }: Changelog, origin: string): string {
  const title = escaped(document.info.title);
  const entries = releases.map(
    ({ version, date, html }) => `<entry>
<id>${idOf(document, date, version)}</id>
<title>${title} ${version}</title>
<updated>${date}T00:00:00Z</updated>
<link rel="alternate" type="text/html" href="${escaped(origin + CHANGELOG)}#${version}"/>
<content type="html">${escaped(html)}</content>
</entry>`,
  );
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${idOf(document, releases.at(-1)!.date, "changelog")}</id>
<title>Changelog of ${title}</title>
<updated>${releases[0]!.date}T00:00:00Z</updated>
<author><name>${title}</name></author>
<link rel="self" type="application/atom+xml" href="${escaped(origin + FEED)}"/>
<link rel="alternate" type="text/html" href="${escaped(origin + CHANGELOG)}"/>
${entries.join("\n")}
</feed>
`;
}

/**
 * Returns the id of an entry (RFC 4151). It has the host and the path of the contract's first absolute server, so that a release has one
 * id at all addresses of the service, and in all major versions. Without such a server, it has the title, and a host that cannot exist.
 */
function idOf({ servers = [], info }: ServedDocument, date: string, name: string): string {
  const urls = servers.map((server) => (server as { url?: string }).url ?? "");
  const isAbsolute = (url: string) => /^https?:/.test(url) && URL.canParse(url);
  const { hostname, pathname } = new URL(
    urls.find(isAbsolute) ?? `http://title.invalid/${encodeURIComponent(info.title)}`,
  );
  return escaped(`tag:${hostname},${date}:${pathname.replace(/(?:\/v\d+)?\/*$/, "")}/${name}`);
}

/** Escapes a text for XML and HTML. XML cannot contain control characters (https://www.w3.org/TR/xml/#charsets). */
function escaped(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "")
    .replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
