import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import express, { type RequestHandler, type Router } from "express";
import type { ServedDocument } from "./contract-document.ts";
import { allowGetHead } from "../http/allow-get-head.ts";

/** The one file of Scalar that holds all it needs (https://github.com/scalar/scalar, MIT). */
const SCALAR = new URL("browser/standalone.js", import.meta.resolve("@scalar/api-reference"));

/**
 * Scalar's colours with the contrast that WCAG 2.2 (1.4.3) asks for, tables whose words stay whole save in the last column, no copy buttons
 * that show only under a mouse and have no name for a screen reader, and on a phone no button that lies across the URL.
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
button.group\\/copy-button:not([aria-label]) { display: none; }
`;

/** What of Scalar would leave this machine is off: fonts, telemetry, proxy, agent, links to its hosted services. */
function settings(basePath: string) {
  return {
    url: "/openapi.json",
    servers: [{ url: basePath, description: "The service that shows this page" }],
    authentication: { preferredSecurityScheme: "bearerAuth" },
    defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
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
  };
}

/**
 * The contract as a page for people, at `/docs`, to which `/` and `/docs/` lead, where a key can be entered and operations tried on this very service.
 * The page runs our script alone and reaches no other origin; Scalar needs inline styles, so it may have those.
 */
export function referencePage({ info }: ServedDocument, basePath: string): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const start = `Scalar.createApiReference("#reference", ${JSON.stringify(settings(basePath))})`;
  const policy = [
    "default-src 'none'",
    `script-src 'self' '${sha256("sha256-", start)}'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join(";");
  let loading: ReturnType<typeof loadScalar> | undefined;
  const scalar = () => (loading ??= loadScalar());

  router.all("/", allowGetHead, leadTo("docs"));
  router.all("/docs/", allowGetHead, leadTo("../docs"));
  router.all("/docs", allowGetHead, async (_request, response) => {
    const { path } = await scalar();
    response.set("Content-Security-Policy", policy);
    response.type("html").send(page(`${info.title} API ${info.version}`, path, start));
  });
  const isScript: RequestHandler = async (request, _response, next) =>
    next(request.path === (await scalar()).path ? undefined : "route");
  router.all(/^\/docs\/[^/]+$/, isScript, allowGetHead, async (request, response) => {
    const { plain, gzipped } = await scalar();
    response.set({ "Cache-Control": "public, max-age=31536000, immutable", Vary: "Accept-Encoding" });
    response.type("text/javascript");
    if (request.acceptsEncodings("gzip") === false) response.send(plain);
    else response.set("Content-Encoding", "gzip").send(gzipped);
  });
  return router;
}

/** To a reference (RFC 3986, section 4.2), so that it is right below any path that a proxy adds. */
function leadTo(reference: string): RequestHandler {
  return (_request, response) => void response.writeHead(302, { Location: reference, "Content-Length": 0 }).end();
}

/** Read once and only when somebody looks; its path has its hash, so that a browser may keep it for ever. */
async function loadScalar() {
  const plain = await readFile(SCALAR);
  const hash = createHash("sha256").update(plain).digest("base64url").slice(0, 16);
  return { path: `/docs/scalar-${hash}.js`, plain, gzipped: await promisify(gzip)(plain) };
}

function sha256(prefix: string, text: string): string {
  return prefix + createHash("sha256").update(text).digest("base64");
}

function page(title: string, script: string, start: string): string {
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
<noscript>This page needs JavaScript. The contract is at <a href="/openapi.yaml">/openapi.yaml</a>.</noscript>
<script src="${script}"></script>
<script>${start}</script>
</body>
</html>
`;
}
