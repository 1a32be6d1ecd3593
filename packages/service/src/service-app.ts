import express, { type Express, type Request, type RequestHandler } from "express";
import type { Logger } from "pino";
import { contractDocument, type ServedDocument } from "./documents/contract-document.ts";
import { problem } from "./problems.ts";
import { onError } from "./http/on-error.ts";
import { allowGetHead } from "./http/allow-get-head.ts";
import { checkHead } from "./http/request-head.ts";
import { crossOrigin, defaultHeaders, stateOf } from "./http/request-state.ts";
import type { Observer } from "./observability/observer.ts";
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
  /** Lets a request go on, now or together with others, and gives it the version of the data that it sees. */
  enter: (goOn: (dataVersion: number | undefined) => void) => void;
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
  const { document, basePath, logger, outages, tracing, observer } = options;
  const app = express();
  app.disable("x-powered-by").disable("etag").enable("case sensitive routing").enable("strict routing");
  app.set("trust proxy", options.trustProxy ?? []); // for `forwardedOf`
  const capacity = createCapacity(options.maxInFlight);
  const always = compose(
    defaultHeaders(app, options.strictTransportSecurity),
    ...(tracing === undefined ? [] : [tracing.traceRequest]),
    ...(observer === undefined ? [] : [observer.observeRequest]),
    requestLog(logger, options.isSecret),
    checkHead,
  );
  app.use(
    basePath,
    compose(always, crossOrigin, capacity.refuseWhenFull, entering(options.enter), await options.api(capacity)),
  );
  app.use(always); // the API, which answers or fails, has had it, and is spared a second layer of Express's router
  app.all("/healthz", allowGetHead, (_request, response) => void response.json({ status: "ok" }));
  app.all("/readyz", allowGetHead, readiness(options));
  app.use(["/openapi.json", "/openapi.yaml"], crossOrigin);
  app.use(contractDocument(document, basePath), referencePage(document, basePath));
  const nothingThere = `There is nothing at this path. The operations are below ${basePath}, and /docs describes them.`;
  app.use((_request, _response, next) => next(problem("not_found", undefined, nothingThere)));
  app.use(onError(logger, outages));
  return app;
}

function entering(enter: ServiceAppOptions["enter"]): RequestHandler {
  return (_request, response, next) =>
    enter((version) => {
      stateOf(response).dataVersion = version;
      next();
    });
}

/**
 * Makes one middleware of several, which run in their order: Express's router takes as long to get to each as most of ours take.
 * A middleware that calls `next` twice gets an error for it, and the others run once. What one throws, or rejects with, goes to
 * the error handling behind them, also when it runs later than the first.
 */
export function compose(...middlewares: RequestHandler[]): RequestHandler {
  return (request, response, next) => {
    let reached = -1;
    const run = (at: number, error?: unknown): void => {
      if (at <= reached) throw new Error("A middleware has called next() more than once.");
      reached = at;
      const middleware = middlewares[at];
      if (middleware === undefined || error !== undefined) {
        next(error);
        return;
      }
      try {
        const pending: unknown = middleware(request, response, (failure?: unknown) => run(at + 1, failure));
        if (pending instanceof Promise) pending.catch(fail);
      } catch (thrown) {
        fail(thrown);
      }
    };
    /** Once: what is thrown through several middlewares is caught by each. */
    const fail = (thrown: unknown): void => {
      if (reached === Infinity) return;
      reached = Infinity;
      next(thrown);
    };
    run(0);
  };
}

/** How many requests the service works on at once; what is beyond gets a 503 straight away, so that memory stays bounded. */
export interface Capacity {
  /** Refuses a request that arrives while all places are taken, before anything is spent on it. */
  refuseWhenFull: RequestHandler;
  /**
   * Returns the `context` of `implement`, which hands this down: a request takes a place until its response is over, or the
   * refusal is thrown. A request whose body is still arriving holds none.
   */
  reserving: <Context>(context: Context) => (request: Request) => Context;
}

/** Places for `most` requests. */
function createCapacity(most: number): Capacity {
  let taken = 0;
  const check = (): void => {
    if (taken >= most) throw problem("unavailable", { "Retry-After": "1" });
  };
  return {
    refuseWhenFull: (_request, _response, next) => {
      check();
      next();
    },
    reserving: (context) => (request) => {
      check();
      taken++;
      request.res!.on("close", () => taken--);
      return context;
    },
  };
}
