import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import express, { type RequestHandler, type Router } from "express";
import type { ServedDocument } from "./contract-document.ts";
import { allowGetHead } from "../http/express-handlers.ts";

/** Scalar as one self-contained script (https://github.com/scalar/scalar, MIT). */
const SCALAR = new URL("browser/standalone.js", import.meta.resolve("@scalar/api-reference"));

/** The page's document with code samples. */
const SAMPLED = "/docs/openapi.json";

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
function scalarSettings(url: string, basePath: string, preferredScheme: string | undefined) {
  return {
    url,
    servers: [{ url: basePath || "/", description: "The service that shows this page" }],
    authentication: { preferredSecurityScheme: preferredScheme },
    // Scalar shows an operation's own samples first only without a default.
    ...(url !== SAMPLED && { defaultHttpClient: { targetKey: "shell", clientKey: "curl" } }),
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
 * Serves the contract as a page at `/docs`, where a reader can enter a key and call this service. `/` and `/docs/` redirect to
 * it. The page's policy allows only our scripts and no other origin. It allows inline styles, since Scalar needs them. The page
 * has a document of its own with code samples, so that the published contract stays the same in every byte.
 */
export function referencePage(
  document: ServedDocument,
  basePath: string,
  codeSamples?: () => Promise<CodeSamples>,
): Router {
  const { info, components } = document;
  const url = codeSamples === undefined ? "/openapi.json" : SAMPLED;
  const router = express.Router({ caseSensitive: true, strict: true });
  const [preferredScheme] = Object.keys(components?.securitySchemes ?? {});
  const startScript = `Scalar.createApiReference("#reference", ${JSON.stringify(scalarSettings(url, basePath, preferredScheme)).replaceAll("<", "\\u003c")})`;
  const policy = [
    "default-src 'none'",
    `script-src 'self' 'sha256-${hash("sha256", startScript, "base64")}'`,
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
  let page: Buffer | undefined;

  router.all("/", allowGetHead, redirectTo("docs"));
  router.all("/docs/", allowGetHead, redirectTo("../docs"));
  router.all("/docs", allowGetHead, async (_request, response) => {
    const { path } = await scalar();
    response.set("Content-Security-Policy", policy);
    page ??= Buffer.from(html(escapeHtml(`${info.title} API ${info.version}`), path, startScript));
    response.type("html").send(page);
  });
  if (codeSamples !== undefined) router.all(SAMPLED, allowGetHead, sampledDocument(document, codeSamples));
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

/** Serves the document with its samples. It is rendered at the first request. */
function sampledDocument(document: ServedDocument, codeSamples: () => Promise<CodeSamples>): RequestHandler {
  let rendered: Promise<Buffer> | undefined;
  const render = async () => Buffer.from(JSON.stringify(withCodeSamples(document, await codeSamples())));
  return async (_request, response) => {
    response.type("json").send(await (rendered ??= render()));
  };
}

/** Redirects to a relative reference (RFC 3986, section 4.2), which stays correct below any path that a proxy adds. */
function redirectTo(reference: string): RequestHandler {
  return (_request, response) => void response.writeHead(302, { Location: reference, "Content-Length": 0 }).end();
}

/** Reads and compresses Scalar. Its path contains its hash, so that browsers may cache it for ever. */
async function loadScalar() {
  const plain = await readFile(SCALAR);
  const version = hash("sha256", plain, "base64url").slice(0, 16);
  return { path: `/docs/scalar-${version}.js`, plain, gzipped: await promisify(gzip)(plain) };
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function html(title: string, script: string, startScript: string): string {
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
<script>${startScript}</script>
</body>
</html>
`;
}

/** Samples that call operations, by method and path such as `GET /pets`, in the order in which the page shows them. */
export type CodeSamples = Record<string, { lang: string; label: string; source: string }[]>;

/** Returns the document with the samples of each operation as `x-codeSamples`. */
export function withCodeSamples(document: ServedDocument, samples: CodeSamples): ServedDocument {
  const paths = Object.entries(document.paths ?? {}).map(([path, item]: [string, Record<string, object>]) => {
    const operations = Object.entries(item).map(([key, operation]) => {
      const own = samples[`${key.toUpperCase()} ${path}`];
      return [key, own === undefined ? operation : { ...operation, "x-codeSamples": own }];
    });
    return [path, Object.fromEntries(operations)];
  });
  return { ...document, paths: Object.fromEntries(paths) as object };
}
