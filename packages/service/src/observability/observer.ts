import type { RequestHandler } from "express";
import type { Violation } from "express-operations";

/** What watches the service at work. It changes nothing of it, and does not throw. */
export interface Observer {
  /** Sees each request first. */
  observeRequest: RequestHandler;
  /** Told of each answer found to break the contract. */
  onViolation: (violation: Violation) => void;
}

/** Sees nothing: what a service without metrics has. */
export const noopObserver: Observer = {
  observeRequest: (_request, _response, next) => next(),
  onViolation: () => {},
};
