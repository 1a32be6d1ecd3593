import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from "express";
import { mountPath } from "express-operations";
import type { Logger } from "pino";
import { type CodeSamples, referencePage } from "./documents/reference-page.ts";
import { contractDocument, type ServedDocument } from "./documents/contract-document.ts";
import { type ErrorFormat, problem } from "./problems.ts";
import { onError } from "./http/on-error.ts";
import { allowGetHead } from "./http/allow-get-head.ts";
import { waitWhenFull } from "./http/capacity.ts";
import { checkHead } from "./http/request-head.ts";
import type { AppOrListener, DirectRoute } from "./http/express-messages.ts";
import { crossOrigin, defaultHeaders, stateOf } from "./http/request-state.ts";
import type { Observer } from "./operation-options.ts";
import { requestLog } from "./observability/request-log.ts";
import type { Tracing } from "./observability/tracing.ts";
import { isReady, type Readiness, readiness } from "./life/readiness.ts";
import type { ServiceConfig } from "./settings.ts";

/** The options of `createServiceApp`. */
export interface ServiceAppOptions extends Readiness {
  document: ServedDocument;
  /** Loads the code samples of the reference page. Default: the page generates its own. */
  codeSamples?: (() => Promise<CodeSamples>) | undefined;
  /** The path of the API, such as `/v1`, or empty. Without one, the API has no paths of the service, such as `/healthz`. */
  basePath: string;
  /**
   * Calls `run` in a snapshot of the data, at once or later together with other requests. Passes the version of the snapshot, and
   * that of the credentials in it.
   */
  runInSnapshot: (run: (dataVersion: number | undefined, credentialsVersion: string | undefined) => void) => void;
  /** The handler of all requests below the base path, such as a handler of `implement`. */
  api: RequestHandler;
  logger: Logger;
  /** Whether a text contains a secret, which must never be logged. */
  isSecret: (text: string) => boolean;
  maxInFlight: number;
  /** Default: no proxy is trusted. */
  trustProxy?: ServiceConfig["trustProxy"];
  /** The value of the header `Strict-Transport-Security` on each response. Default: no such header. */
  strictTransportSecurity?: ServiceConfig["strictTransportSecurity"];
  /** How errors are written. Default: `ErrorBody`. */
  errorFormat?: ErrorFormat | undefined;
  observer?: Observer | undefined;
  tracing?: Tracing | undefined;
  /** Whether Node writes all headers, and Express routes all requests. Default: false, which is faster. */
  isPlain?: boolean | undefined;
}

/**
 * Returns an Express app with the API below the base path, the probes `/healthz` and `/readyz`, and the contract as document and
 * page.
 */
export function createServiceApp(options: ServiceAppOptions): Express & AppOrListener {
  const { document, basePath, logger, outages, tracing, observer, isPlain = false } = options;
  const app = express();
  app.disable("x-powered-by").disable("etag").enable("case sensitive routing").enable("strict routing");
  app.set("trust proxy", options.trustProxy ?? []); // `forwardedOf` reads this setting
  const everyRequest = compose(
    defaultHeaders(app, options),
    ...(tracing === undefined ? [] : [tracing.traceRequest]),
    ...(observer === undefined ? [] : [observer.observeRequest]),
    requestLog(logger, options.isSecret),
    checkHead,
  );
  const api = compose(
    everyRequest,
    crossOrigin,
    waitWhenFull(options.maxInFlight),
    inSnapshot(options.runInSnapshot),
    options.api,
  );
  const handleError = onError(logger, outages, options.errorFormat);
  if (basePath !== "") app.use(mountPath(basePath), api);
  else
    app.use((request, response, next) => (isOwnPath(document, request.path) ? next() : api(request, response, next)));
  // Only requests outside the API get here. The API runs `everyRequest` itself, which saves a layer of Express's router.
  app.use(everyRequest);
  app.all("/healthz", allowGetHead, (_request, response) => void response.json({ status: "ok" }));
  app.all("/readyz", allowGetHead, readiness(options));
  observer?.observeReadiness(() => isReady(options));
  app.use(["/openapi.json", "/openapi.yaml"], crossOrigin);
  app.use(contractDocument(document, basePath), referencePage(document, basePath, options.codeSamples));
  const notFoundMessage = `There is no resource at this path. The operations are below ${basePath || "/"}; see /docs.`;
  app.use((_request, _response, next) => next(problem("not_found", undefined, notFoundMessage)));
  app.use(handleError);
  return Object.assign(app, {
    directRoute: isPlain || basePath === "" ? undefined : directRoute(basePath, api, handleError),
  });
}

/** Whether a path is one of the service itself, which the document does not declare. */
function isOwnPath({ paths = {} }: ServedDocument, path: string): boolean {
  return (
    /^\/(?:healthz|readyz|openapi\.json|openapi\.yaml|docs|docs\/[^/]*|)$/.test(path) && !Object.hasOwn(paths, path)
  );
}

/** Runs the next handlers in a snapshot, and records the snapshot's versions in the state of the request. */
function inSnapshot(runInSnapshot: ServiceAppOptions["runInSnapshot"]): RequestHandler {
  return (_request, response, next) =>
    runInSnapshot((dataVersion, credentialsVersion) => {
      const state = stateOf(response);
      state.dataVersion = dataVersion;
      state.credentialsVersion = credentialsVersion;
      next();
    });
}

/**
 * Composes middlewares into one that runs them in order. This saves time, since Express's router takes about as long to reach a
 * middleware as most of ours take to run. If a middleware calls `next` twice, the second call throws, so that the later
 * middlewares run once. Errors and rejections of all middlewares go to Express's error handler.
 */
export function compose(...middlewares: RequestHandler[]): RequestHandler {
  return (request, response, next) => {
    let reached = -1;
    const run = (index: number, error?: unknown): void => {
      if (index <= reached) throw new Error("A middleware called next() more than once.");
      reached = index;
      const middleware = middlewares[index];
      if (middleware === undefined || error !== undefined) {
        next(error);
        return;
      }
      try {
        const pending: unknown = middleware(request, response, (failure?: unknown) => run(index + 1, failure));
        if (pending instanceof Promise) pending.catch(fail);
      } catch (thrown) {
        fail(thrown);
      }
    };
    /** Reports only the first error, since each middleware that an error passes through catches it again. */
    const fail = (thrown: unknown): void => {
      if (reached === Infinity) return;
      reached = Infinity;
      next(thrown);
    };
    run(0);
  };
}

/**
 * Returns the route of all paths below `path`, without Express's router, which takes longer than most of our middlewares. It
 * equals `app.use(path, handler)` before all other routes, with `handleError` as the only error handler.
 */
export function directRoute(path: string, handler: RequestHandler, handleError: ErrorRequestHandler): DirectRoute {
  const prefix = `${path}/`;
  return (incoming, outgoing) => {
    const url = incoming.url!;
    if (!url.startsWith(prefix)) return false; // Express's router knows every other way to write the path
    const request = incoming as Request;
    const response = outgoing as Response;
    request.res = response;
    request.originalUrl = url;
    request.baseUrl = path;
    request.url = url.slice(path.length);
    request.params = {};
    void handler(request, response, (error: unknown = problem("not_found")) => {
      request.baseUrl = "";
      request.url = url;
      void handleError(error, request, response, () => {});
    });
    return true;
  };
}
