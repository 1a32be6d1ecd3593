import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Request, RequestHandler, Response } from "express";
import type { OpenApiDocument } from "openapi-document";
import { createProblem } from "../problem.ts";

/** The options of `referencePage`. */
export interface ReferencePageOptions {
  /** The document that the page shows. */
  document: Omit<OpenApiDocument, "openapi">;
  /** The path of the API on this server, such as `/v1`. Default: the `servers` of the document. */
  server?: string;
  /** The path of the document, if the application serves it. Default: the page serves it, as `openapi.json` below its own path. */
  url?: string;
  /**
   * The file of Scalar: `dist/browser/standalone.js` of the package `@scalar/api-reference`. Default: that of the installed package.
   */
  script?: string | URL;
  /** More settings of Scalar (https://scalar.com/products/api-references/configuration). */
  settings?: object;
}

/**
 * Returns an Express handler that shows a document as a page at its mount path, where a reader can call the API with a credential.
 * The page loads nothing from other hosts, and its policy allows only its own scripts and requests to its own origin. It
 * allows inline styles, since Scalar needs them. Throws if there is no file of Scalar.
 */
export function referencePage(options: ReferencePageOptions): RequestHandler {
  const { document, url } = options;
  const file = scalarFile(options.script);
  let loading: ReturnType<typeof loadScalar> | undefined;
  let json: Buffer | undefined;
  return async (request, response, next) => {
    const { path, method } = request;
    const isDocument = url === undefined && path === DOCUMENT;
    const scalar = /^\/(?:scalar-[\w-]+\.js)?$/.test(path) ? await (loading ??= loadScalar(file)) : undefined;
    if (!isDocument && path !== "/" && path !== scalar?.path) return next();
    if (method === "OPTIONS") return void response.writeHead(204, ALLOWED).end();
    if (method !== "GET" && method !== "HEAD")
      throw createProblem(405, `This path allows only the methods ${ALLOWED.Allow}.`, ALLOWED);
    if (isDocument) response.type("json").send((json ??= Buffer.from(JSON.stringify(document))));
    else if (path === "/") sendPage(request, response, scalar!.path, options);
    else sendScript(request, response, scalar!);
  };
}

/** The path of the document below that of the page. */
const DOCUMENT = "/openapi.json";
const ALLOWED = { Allow: "GET, HEAD, OPTIONS" };

/** Returns the file with Scalar as one self-contained script (https://github.com/scalar/scalar, MIT). Throws if there is none. */
function scalarFile(given: string | URL | undefined): string | URL {
  const file = given ?? installedScalar();
  if (file !== undefined && existsSync(file)) return file;
  throw new Error(
    given === undefined
      ? "referencePage needs the package @scalar/api-reference. Run `npm install @scalar/api-reference`, or set the option script."
      : `The option script of referencePage is ${String(given)}. There is no such file.`,
  );
}

function installedScalar(): URL | undefined {
  try {
    return new URL("browser/standalone.js", import.meta.resolve("@scalar/api-reference"));
  } catch {
    return undefined;
  }
}

/** Reads and compresses Scalar. Its path contains its hash, so that browsers may cache it for ever. */
async function loadScalar(file: string | URL) {
  const plain = await readFile(file);
  const version = hash("sha256", plain, "base64url").slice(0, 16);
  return { path: `/scalar-${version}.js`, plain, gzipped: await promisify(gzip)(plain) };
}

function sendScript(request: Request, response: Response, { plain, gzipped }: Awaited<ReturnType<typeof loadScalar>>) {
  response.set({ "Cache-Control": "public, max-age=31536000, immutable", Vary: "Accept-Encoding" });
  response.type("text/javascript");
  if (request.acceptsEncodings("gzip") === false) response.send(plain);
  else response.set("Content-Encoding", "gzip").send(gzipped);
}

function sendPage({ baseUrl }: Request, response: Response, script: string, options: ReferencePageOptions): void {
  const { info = {} } = options.document as { info?: { title?: string; version?: string } };
  const { title = "", version = "" } = info;
  const url = options.url ?? baseUrl + DOCUMENT;
  const settings = JSON.stringify(scalarSettings(url, options)).replaceAll("<", "\\u003c");
  const startScript = `Scalar.createApiReference("#reference", ${settings})`;
  response.set(
    "Content-Security-Policy",
    [
      "default-src 'none'",
      `script-src 'self' 'sha256-${hash("sha256", startScript, "base64")}'`,
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data:",
      "font-src 'self' data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join(";"),
  );
  const name = /\bAPI\b/i.test(title) ? title : `${title} API`;
  response
    .type("html")
    .send(html(escapeHtml(`${name} ${version}`), escapeHtml(baseUrl + script), startScript, escapeHtml(url)));
}

/**
 * Corrections of Scalar's styles. Colours have the contrast that WCAG 2.2 (1.4.3) requires. In tables only the last column breaks
 * words. The last status keeps a distance from the button beside it. Copy buttons without an accessible name, which appear only under a mouse, are hidden. On phones a button over the URL is
 * hidden.
 */
const STYLES = `
.light-mode {
  --scalar-color-2: #595959; --scalar-color-3: #666666; --scalar-color-accent: #0062b8;
  --scalar-color-green: #05704c; --scalar-color-red: #c40005; --scalar-color-blue: #0068a8; --scalar-color-orange: #a83a00;
}
.dark-mode { --scalar-color-3: #989898; --scalar-color-red: #ff5c5c; }
.markdown :is(th, td:not(:last-child), td:not(:last-child) code) { word-break: normal !important; overflow-wrap: normal !important; }
.markdown :is(th, td) { padding-inline: 8px !important; }
@media (max-width: 768px) {
  .scalar-sidebar-toggle { display: none; }
  .markdown :is(th, td) { padding-inline: 5px !important; font-size: 12px !important; }
  .markdown td code { padding-inline: 0 !important; font-size: 10px !important; }
}
.tab-list { margin-inline-end: 12px; }
button.group\\/copy-button:not([aria-label]) { display: none; }
`;

/** Scalar's settings. Everything that contacts another host is off: fonts, telemetry, proxy, agent, links to hosted services. */
function scalarSettings(url: string, { document, server, settings }: ReferencePageOptions) {
  const { securitySchemes = {} } = (document.components ?? {}) as { securitySchemes?: object };
  return {
    url,
    ...(server !== undefined && { servers: [{ url: server, description: "The service that shows this page" }] }),
    authentication: { preferredSecurityScheme: Object.keys(securitySchemes)[0] },
    orderSchemaPropertiesBy: "preserve",
    showOperationId: true,
    defaultOpenAllTags: true,
    agent: { disabled: true },
    mcp: { disabled: true },
    telemetry: false,
    withDefaultFonts: false,
    persistAuth: false,
    hideClientButton: true,
    showDeveloperTools: "never",
    customCss: STYLES,
    ...settings,
  };
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&#34;");
}

function html(title: string, script: string, startScript: string, url: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
</head>
<body>
<div id="reference"></div>
<noscript>This page needs JavaScript. The document is at <a href="${url}">${url}</a>.</noscript>
<script src="${script}"></script>
<script>${startScript}</script>
</body>
</html>
`;
}
