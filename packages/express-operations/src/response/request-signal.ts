import type { Response } from "express";

const controllers = new WeakMap<Response, AbortController>();

/** Returns the signal of a request. It aborts if the client closes the connection before the response has ended. */
export function signalOf(response: Response): AbortSignal {
  return controllerOf(response).signal;
}

/** Aborts the signal of a request, also if the handler reads it later. */
export function abort(response: Response, reason: unknown): void {
  controllerOf(response).abort(reason);
}

function controllerOf(response: Response): AbortController {
  const known = controllers.get(response);
  if (known !== undefined) return known;
  const controller = new AbortController();
  controllers.set(response, controller);
  const abortUnlessFinished = (): void => {
    if (!response.writableFinished)
      controller.abort(new DOMException("The client closed the connection.", "AbortError"));
  };
  if (response.destroyed) abortUnlessFinished();
  else response.once("close", abortUnlessFinished);
  return controller;
}
