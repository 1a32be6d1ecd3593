import express, { type Express, type RequestHandler } from "express";
import { type Implementation, mountPath } from "express-operations";
import { changelogPage, FEED } from "./documents/changelog-page.ts";
import { documentationPage, type PageParts } from "./documents/reference-page.ts";
import { contractDocument, type ServedDocument } from "./documents/contract-document.ts";
import { type ErrorFormat, problem } from "./problems.ts";
import { allowGetHead, onError, type Outages } from "./http/express-handlers.ts";
import { forwardedOf } from "./http/forwarded.ts";
import { CORS_HEADERS, createDefaultHeaders, sendPreflight } from "./http/default-headers.ts";
import { sendDefaultHeaders } from "./http/messages.ts";
import {
  describeRequest,
  isPreflight,
  peerOf,
  requestStages,
  type RequestState,
  type StageOptions,
} from "./http/stages.ts";
import type { Observer } from "./operation-options.ts";
import type { Tracing } from "./observability/tracing.ts";
import type { ServiceConfig } from "./settings.ts";

/** The options of `createServiceApp`. */
export interface ServiceAppOptions
  extends Pick<StageOptions, "logger" | "isSecret" | "maxInFlight" | "runInSnapshot">, PageParts {
  document: ServedDocument;
  isStopping: () => boolean;
  /** Returns the failure that keeps the service from serving, if any. Its message is sent to the client. */
  findFailure: () => Promise<{ error: unknown; message: string } | undefined>;
  outages: Outages;
  /** The path of the API, such as `/v1`, or empty. Without one, the API has no paths of the service, such as `/healthz`. */
  basePath: string;
  /** Serves all requests below the base path. */
  api: Implementation;
  /** Default: no proxy is trusted. */
  trustProxy?: ServiceConfig["trustProxy"];
  /** The value of the header `Strict-Transport-Security` on each response. Default: no such header. */
  strictTransportSecurity?: ServiceConfig["strictTransportSecurity"];
  /** How errors are written. Default: `ErrorBody`. */
  errorFormat?: ErrorFormat | undefined;
  observer?: Observer | undefined;
  tracing?: Tracing | undefined;
}

/**
 * Returns an Express app with the API below the base path, the probes `/healthz` and `/readyz`, and the contract as document and
 * page, with its changelog.
 */
export function createServiceApp(options: ServiceAppOptions): Express {
  const { document, basePath, logger, outages, tracing, observer, strictTransportSecurity, trustProxy = [] } = options;
  const app = express();
  app.disable("x-powered-by").disable("etag").enable("case sensitive routing").enable("strict routing");
  app.set("trust proxy", trustProxy); // `forwardedOf` reads this setting
  sendDefaultHeaders(app);
  const crossOriginHeaders = createDefaultHeaders(strictTransportSecurity, CORS_HEADERS);
  const { everyRequest, apiRequest } = requestStages(
    {
      ...options,
      defaultHeaders: createDefaultHeaders(strictTransportSecurity),
      crossOriginHeaders,
      clientOf: [trustProxy].flat().every((proxy) => proxy === 0) ? peerOf : forwardedOf,
      onArrival: [tracing?.traceRequest, observer?.observeRequest].filter((call) => call !== undefined),
    },
    options.api,
  );
  if (basePath !== "") app.use(mountPath(basePath), apiRequest);
  else
    app.use((request, response, next) =>
      isOwnPath(document, request.path) ? next() : apiRequest(request, response, next),
    );
  // Only requests outside the API get here.
  app.use(everyRequest);
  app.all("/healthz", allowGetHead, (_request, response) => void response.json({ status: "ok" }));
  app.all("/readyz", allowGetHead, readiness(options));
  observer?.observeReadiness(async () => !options.isStopping() && (await options.findFailure()) === undefined);
  app.use(["/openapi.json", "/openapi.yaml", FEED], (request, response, next) => {
    if (isPreflight(request)) return sendPreflight(response);
    (response.locals as RequestState).defaultHeaders = crossOriginHeaders;
    next();
  });
  app.use(contractDocument(document, basePath));
  if (options.changelog !== undefined) app.use(changelogPage(document, options.changelog));
  app.use(documentationPage(document, basePath, options));
  const notFoundMessage = `There is no resource at this path. The operations are below ${basePath || "/"}; see /docs.`;
  app.use((_request, _response, next) => next(problem("not_found", undefined, notFoundMessage)));
  app.use(onError(logger, outages, options.errorFormat));
  return app;
}

/** Whether a path is one of the service itself, which the document does not declare. */
function isOwnPath({ paths = {} }: ServedDocument, path: string): boolean {
  return (
    /^\/(?:healthz|readyz|openapi\.json|openapi\.yaml|docs|docs\/[^/]*|)$/.test(path) && !Object.hasOwn(paths, path)
  );
}

/** Returns the handler of the readiness probe: 200, or 503 with the reason. */
function readiness({ isStopping, findFailure, outages }: ServiceAppOptions): RequestHandler {
  const notReady = (message: string) => problem("unavailable", undefined, message);
  return async (request, response) => {
    if (isStopping()) throw notReady("The service is stopping.");
    const failure = await findFailure();
    if (failure !== undefined) {
      outages.logOutage(failure.error, describeRequest(request, response));
      throw notReady(failure.message);
    }
    response.json({ status: "ok" });
  };
}
