import type { HandledOperations } from "@petstore/contract";
import { document } from "@petstore/contract/document";
import express, { type Express, type RequestHandler } from "express";
import { implement, type Implementation, type Violation } from "express-operations";
import type { Logger } from "pino";
import { type Capacity, createCapacity } from "./http/capacity.ts";
import type { Config } from "./config.ts";
import { contractDocument } from "./contract-document.ts";
import { crossOrigin } from "./http/cross-origin.ts";
import { isDatabaseUnavailable } from "./database/database.errors.ts";
import { TABLES } from "./database/database.ts";
import { failureOf } from "./database/failure.ts";
import { snapshotPerTurn } from "./database/data-version.ts";
import type { Environment } from "./environment.ts";
import { problem, problemBody } from "./errors.ts";
import { handlers } from "./handlers.ts";
import { checkHead } from "./http/check-head.ts";
import { compose } from "./http/compose.ts";
import { onError } from "./http/on-error.ts";
import { onlyRead } from "./http/only-read.ts";
import { stateOf } from "./http/request-state.ts";
import { authentication } from "./keys/authentication.ts";
import type { KeyUses } from "./keys/key-uses.ts";
import { nobody, type Observer } from "./observability/observer.ts";
import { outageLog } from "./observability/outage.ts";
import { limited, type RateLimits } from "./rate-limits.ts";
import { readiness } from "./readiness.ts";
import { referencePage } from "./reference-page.ts";
import { requestLog } from "./observability/request-log.ts";
import { standingHeaders } from "./http/standing-headers.ts";
import type { Storage } from "./database/storage.ts";
import type { Tracing } from "./observability/tracing.ts";

/** What the app is made of. */
export interface AppOptions {
  storage: Storage;
  keyUses: KeyUses;
  logger: Logger;
  environment: Config["environment"];
  maxInFlight: number;
  /** Default: nobody is trusted. */
  trustProxy?: Config["trustProxy"];
  rateLimits: RateLimits;
  /** Sent on each answer, if given. */
  strictTransportSecurity?: Config["strictTransportSecurity"];
  /** Whether the service is about to end, so that it should be sent nothing more. */
  isStopping: () => boolean;
  observer?: Observer | undefined;
  tracing?: Tracing | undefined;
}

/** The path every address of the contract ends in, such as `/v1`. */
export const BASE_PATH = new URL(document.servers[0]!.url).pathname;

const NOTHING_THERE = `There is nothing at this path. The operations are below ${BASE_PATH}, and /docs describes them.`;

/** How much is kept of answers to be sent again, on SQLite. */
const KEPT_BYTES = 32 * 1024 * 1024;

/** The service as an Express app: the contract's operations below its base path, and what operators need beside it. */
export async function createApp(options: AppOptions): Promise<Express> {
  const { observer = nobody } = options;
  const app = express();
  app.disable("x-powered-by").disable("etag").enable("case sensitive routing").enable("strict routing");
  app.set("trust proxy", options.trustProxy ?? []); // for `forwardedOf`
  const capacity = createCapacity(options.maxInFlight);
  const { storage, logger, isStopping } = options;
  const failure = () => failureOf(storage, TABLES);
  const outages = {
    covers: isDatabaseUnavailable,
    report: outageLog(logger, async () => (await failure()) === undefined),
  };
  const always = compose(
    standingHeaders(app, options.strictTransportSecurity),
    ...(options.tracing === undefined ? [] : [options.tracing.traceRequest]),
    observer.observeRequest,
    requestLog(options.logger),
    checkHead,
  );
  app.use(
    BASE_PATH,
    compose(always, crossOrigin, capacity.refuseWhenFull, inSnapshot(storage), await operations(options, capacity)),
  );
  app.use(always); // the API, which answers or fails, has had it, and is spared a second layer of Express's router
  app.all("/healthz", onlyRead, (_request, response) => void response.json({ status: "ok" }));
  app.all("/readyz", onlyRead, readiness({ isStopping, failureOf: failure, outages }));
  app.use(["/openapi.json", "/openapi.yaml"], crossOrigin);
  app.use(contractDocument(document, BASE_PATH), referencePage(document, BASE_PATH));
  app.use((_request, _response, next) => next(problem("not_found", undefined, NOTHING_THERE)));
  app.use(onError(logger, outages));
  return app;
}

/** Has requests that arrive together see one snapshot of the data, and notes its version. */
function inSnapshot(storage: Storage): RequestHandler {
  const enter = snapshotPerTurn(storage);
  return (_request, response, next) =>
    enter((version) => {
      stateOf(response).dataVersion = version;
      try {
        next();
      } catch (error) {
        next(error);
      }
    });
}

async function operations(
  { storage, keyUses, logger, environment, rateLimits, observer = nobody }: AppOptions,
  capacity: Capacity,
): Promise<Implementation> {
  const implementation = implement<HandledOperations, Environment>()({
    document,
    handlers,
    security: {
      bearerAuth: await limited(rateLimits, storage.db, authentication(storage.db, keyUses)),
    },
    context: (request) => {
      capacity.take(request.res!);
      return storage;
    },
    problemBody,
    realm: "petstore",
    keepAnswers: {
      operations: ["listPets", "getPet"],
      version: ({ res }) => stateOf(res!).dataVersion,
      bytes: KEPT_BYTES,
    },
    onOperation: ({ res }, operationId) => (stateOf(res!).operationId = operationId),
    warm: true,
    checkResponses: environment === "development" ? "always" : { sample: 0.01 },
    onViolation: (violation) => {
      observer.onViolation(violation);
      if (environment === "development") throw new ContractViolation(violation);
      logger.error({ violation }, "an answer breaks the contract");
    },
  });
  const [broken] = await implementation.ready;
  if (broken !== undefined) throw broken.error;
  return implementation;
}

/** While the service is developed, an answer that breaks the contract is a fault; in service it is only reported. */
class ContractViolation extends Error {
  override name = "ContractViolation";

  constructor({ operationId, status, pointer, message, valueType }: Violation) {
    super(`${operationId} answered ${status} with ${pointer} of type ${valueType}: ${message}`);
  }
}
