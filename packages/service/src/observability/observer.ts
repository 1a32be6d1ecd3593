import type { Request, Response } from "express";
import type { Violation } from "express-operations";

/** Observes requests and violations. An observer changes nothing and never throws. */
export interface Observer {
  /** Called with each request that arrives. */
  observeRequest: (request: Request, response: Response) => void;
  /** Called with each violation found in a response. */
  onViolation: (violation: Violation) => void;
  /** Called once, with a function that checks whether the service is ready. */
  observeReadiness: (isReady: () => Promise<boolean>) => void;
}

/** The observer of a service without metrics. */
export const noopObserver: Observer = {
  observeRequest: () => {},
  onViolation: () => {},
  observeReadiness: () => {},
};
