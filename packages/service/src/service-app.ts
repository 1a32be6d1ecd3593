import express, { type Express, type RequestHandler } from "express";
import type { Logger } from "pino";
import { contractDocument, type ServedDocument } from "./documents/contract-document.ts";
import { problem } from "./problems.ts";
import { type Capacity, createCapacity } from "./http/capacity.ts";
import { checkHead } from "./http/check-head.ts";
import { compose } from "./http/compose.ts";
import { crossOrigin } from "./http/cross-origin.ts";
import { onError } from "./http/on-error.ts";
import { onlyRead } from "./http/only-read.ts";
import { standingHeaders } from "./http/standing-headers.ts";
import { nobody, type Observer } from "./observability/observer.ts";
import { requestLog } from "./observability/request-log.ts";
import type { Tracing } from "./observability/tracing.ts";
import { type Readiness, readiness } from "./life/readiness.ts";
import { referencePage } from "./documents/reference-page.ts";
import type { ServiceConfig } from "./settings.ts";

/** What the app of a service is made of. */
export interface ServiceAppOptions extends Readiness {
  document: ServedDocument;
  /** The path that every address of the document ends in, such as `/v1`. */
  basePath: string;
  /** Answers each request below the base path; work on one takes a place of the capacity. */
  api: (capacity: Capacity) => Promise<RequestHandler>;
  logger: Logger;
  /** Whether a text holds what must never be logged. */
  isSecret: (text: string) => boolean;
  maxInFlight: number;
  /** Default: nobody is trusted. */
  trustProxy?: ServiceConfig["trustProxy"];
  /** Sent on each answer, if given. */
  strictTransportSecurity?: ServiceConfig["strictTransportSecurity"];
  observer?: Observer | undefined;
  tracing?: Tracing | undefined;
}

/** A service as an Express app: its API below the base path, and what operators and readers need beside it. */
export async function createServiceApp(options: ServiceAppOptions): Promise<Express> {
  const { document, basePath, logger, outages, tracing, observer = nobody } = options;
  const app = express();
  app.disable("x-powered-by").disable("etag").enable("case sensitive routing").enable("strict routing");
  app.set("trust proxy", options.trustProxy ?? []); // for `forwardedOf`
  const capacity = createCapacity(options.maxInFlight);
  const always = compose(
    standingHeaders(app, options.strictTransportSecurity),
    ...(tracing === undefined ? [] : [tracing.traceRequest]),
    observer.observeRequest,
    requestLog(logger, options.isSecret),
    checkHead,
  );
  app.use(basePath, compose(always, crossOrigin, capacity.refuseWhenFull, await options.api(capacity)));
  app.use(always); // the API, which answers or fails, has had it, and is spared a second layer of Express's router
  app.all("/healthz", onlyRead, (_request, response) => void response.json({ status: "ok" }));
  app.all("/readyz", onlyRead, readiness(options));
  app.use(["/openapi.json", "/openapi.yaml"], crossOrigin);
  app.use(contractDocument(document, basePath), referencePage(document, basePath));
  const nothingThere = `There is nothing at this path. The operations are below ${basePath}, and /docs describes them.`;
  app.use((_request, _response, next) => next(problem("not_found", undefined, nothingThere)));
  app.use(onError(logger, outages));
  return app;
}
