import type { RequestHandler } from "express";
import type { Violation } from "express-operations";

/** Observes requests and violations. An observer changes nothing and never throws. */
export interface Observer {
  /** Runs before the other middlewares. */
  observeRequest: RequestHandler;
  /** Called with each violation found in a response. */
  onViolation: (violation: Violation) => void;
  /** Called once, with a function that checks whether the service is ready. */
  observeReadiness: (isReady: () => Promise<boolean>) => void;
}

/** The observer of a service without metrics. */
export const noopObserver: Observer = {
  observeRequest: (_request, _response, next) => next(),
  onViolation: () => {},
  observeReadiness: () => {},
};
