import express, { type RequestHandler, type Router } from "express";
import { referencePage } from "express-operations/reference-page";
import type { ServedDocument } from "./contract-document.ts";
import { allowGetHead } from "../http/express-handlers.ts";

/** The page's document with code samples. */
const SAMPLED = "/docs/openapi.json";
/** Scalar shows an operation's own samples first only without a default. */
const WITHOUT_SAMPLES = {
  url: "/openapi.json",
  settings: { defaultHttpClient: { targetKey: "shell", clientKey: "curl" } },
};

/**
 * Serves the contract as a page at `/docs`, where a reader can enter a key and call this service. `/` and `/docs/` redirect to
 * it. The page has a document of its own with code samples, so that the published contract stays the same in every byte.
 */
export function documentationPage(
  document: ServedDocument,
  basePath: string,
  codeSamples?: () => Promise<CodeSamples>,
): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.all("/", allowGetHead, redirectTo("docs"));
  router.all("/docs/", allowGetHead, redirectTo("../docs"));
  if (codeSamples !== undefined) router.all(SAMPLED, allowGetHead, sampledDocument(document, codeSamples));
  const shown = codeSamples === undefined ? WITHOUT_SAMPLES : { url: SAMPLED };
  return router.use("/docs", referencePage({ document, server: basePath || "/", ...shown }));
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
