import type { RequestHandler, Router } from "express";
import { referencePage } from "express-operations/reference-page";
import type { Changelog } from "./changelog-page.ts";
import type { ServedDocument } from "./contract-document.ts";
import { readOnlyRoutes } from "../http/express-handlers.ts";

/** The page's document. */
const SHOWN = "/docs/openapi.json";
/** Scalar shows an operation's own samples first only without a default. */
const WITHOUT_SAMPLES = { settings: { defaultHttpClient: { targetKey: "shell", clientKey: "curl" } } };

/** What the page shows beside the contract. Each part is loaded at the first request. */
export interface PageParts {
  /** Default: the page generates its own samples. */
  codeSamples?: (() => Promise<CodeSamples>) | undefined;
  /** Default: none. */
  changelog?: (() => Promise<Changelog>) | undefined;
}

/**
 * Serves the contract as a page at `/docs`, where a reader can enter a key and call this service. `/` and `/docs/` redirect to
 * it. The page has a document of its own with code samples and a link to the changelog. So the published contract stays the same in
 * every byte.
 */
export function documentationPage(document: ServedDocument, basePath: string, parts: PageParts): Router {
  const { codeSamples, changelog } = parts;
  const hasOwn = codeSamples !== undefined || changelog !== undefined;
  const router = readOnlyRoutes({
    "/": redirectTo("docs"),
    "/docs/": redirectTo("../docs"),
    ...(hasOwn && { [SHOWN]: shownDocument(document, parts) }),
  });
  const shown = { url: hasOwn ? SHOWN : "/openapi.json", ...(codeSamples === undefined && WITHOUT_SAMPLES) };
  return router.use("/docs", referencePage({ document, server: basePath || "/", ...shown }));
}

/** Serves the document with what the page shows beside it. It is rendered at the first request. */
function shownDocument(document: ServedDocument, { codeSamples, changelog }: PageParts): RequestHandler {
  let rendered: Promise<Buffer> | undefined;
  const render = async () => {
    const sampled = withCodeSamples(document, (await codeSamples?.()) ?? {});
    return Buffer.from(JSON.stringify(withLatestRelease(sampled, await changelog?.())));
  };
  return async (_request, response) => {
    response.type("json").send(await (rendered ??= render()));
  };
}

/** Adds the latest release before the description. */
function withLatestRelease(document: ServedDocument, changelog: Changelog | undefined): ServedDocument {
  const [latest] = changelog?.releases ?? [];
  if (latest === undefined) return document;
  const { info } = document;
  const { version, date } = latest;
  const line = `Released on ${date}: [changes in ${version}](docs/changelog#${version}), also as [a feed](docs/changelog.atom).`;
  return { ...document, info: { ...info, description: `${line}\n\n${info.description ?? ""}`.trim() } };
}

/** Redirects to a relative reference (RFC 3986, section 4.2), which stays correct below any path that a proxy adds. */
function redirectTo(reference: string): RequestHandler {
  return (_request, response) => void response.writeHead(302, { Location: reference, "Content-Length": 0 }).end();
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
