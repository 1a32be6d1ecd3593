/** Shows Markdown as GitHub does: links between files, diagrams, and a picture for each scheme. */
import { readFileSync } from "node:fs";
import { join, posix, relative } from "node:path";
import { root } from "@platform/test-support/clone";
import { renderMermaidSVG } from "beautiful-mermaid";
import type { MarkdownRenderer } from "vitepress";
import { linkTo } from "./pages.ts";

const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_SHA = "main" } = process.env;
const { repository } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  repository?: { url: string };
};

/** The address of the repository: of package.json, or of the workflow that builds the site. */
const address =
  repository?.url.replaceAll(/^git\+|\.git$/g, "") ??
  (GITHUB_REPOSITORY && `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`);

/** Returns the name that GitHub gives to a heading. */
export function slugOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

type Token = ReturnType<MarkdownRenderer["parse"]>[number];

/** Adds the rules for these to the renderer. */
export function asOnGitHub(md: MarkdownRenderer): void {
  md.core.ruler.after("inline", "files", ({ tokens, env }) => {
    const { realPath } = env as { realPath?: string };
    if (realPath === undefined) return; // for the index of the search, which has no links
    const folder = posix.dirname(relative(root, realPath).replaceAll("\\", "/"));
    let tag = "a";
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      if (token.type === "link_open") tag = lead(token, folder);
      if (token.type.startsWith("link_")) token.tag = tag;
    }
  });

  // Screen readers announce an empty heading of a column.
  md.core.ruler.push("empty headings", ({ tokens }) => {
    for (const [index, { type, content }] of tokens.entries()) {
      if (type !== "inline" || content !== "" || tokens[index - 1]!.type !== "th_open") continue;
      tokens[index - 1]!.tag = "td";
      tokens[index + 1]!.tag = "td";
    }
  });

  const { fence, html_block: html } = md.renderer.rules;
  md.renderer.rules.fence = (tokens, index, ...others) => {
    const { info, content } = tokens[index]!;
    if (info === "mermaid") return diagramOf(content);
    const [, file = ""] = /^\S+ (\S+\/\S+)/.exec(info) ?? [];
    return (file && `<p class="file">${md.utils.escapeHtml(file)}</p>`) + fence!(tokens, index, ...others);
  };
  md.renderer.rules.html_block = (...parameters) =>
    html!(...parameters)
      .replaceAll(/<picture>.*?<\/picture>/gs, pictureOf)
      .replaceAll(/(?<= src=")(?![a-z]+:|[./])/g, "./"); // otherwise Vite takes it for the address of a public file
}

/** Lets a link of a page in a folder lead to its page or file, and returns its tag: without an address, that of a file is no link. */
function lead(link: Token, folder: string): "a" | "span" {
  const href = link.attrGet("href")!;
  if (/^(?:[a-z]+:|#)/.test(href)) return "a";
  const [, path = "", anchor = ""] = /^([^#]*)(#.*)?$/.exec(decodeURI(href))!;
  const file = posix.join(folder, path);
  const isPage = file.endsWith(".md") && !file.startsWith(".");
  if (!isPage && address === undefined) {
    link.attrs = [["title", file]];
    return "span";
  }
  link.attrSet("href", (isPage ? linkTo(file) : `${address}/blob/${GITHUB_SHA}/${file}`) + anchor);
  return "a";
}

/** Returns a diagram as an image whose colours follow the scheme. The styles that it comes with would load a font. */
function diagramOf(code: string): string {
  const svg = renderMermaidSVG(code, { bg: "var(--vp-c-bg)", fg: "var(--vp-c-text-1)", transparent: true, padding: 8 });
  return `<div class="diagram" tabindex="0" role="group" aria-label="Diagram" v-pre>${svg.replace(/<style>.*<\/style>/s, "")}</div>`;
}

/** Returns both images of a picture, of which the styles show one: the reader may have chosen another scheme than the system's. */
function pictureOf(picture: string): string {
  const [, dark] = /srcset="([^"]*)"/.exec(picture)!;
  const [, attributes = ""] = /<img ([^>]*)>/.exec(picture)!;
  const light = `<img class="light" ${attributes}>`;
  return light + light.replace("light", "dark").replace(/ src="[^"]*"/, ` src="${dark}"`);
}
