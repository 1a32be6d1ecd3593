import { EventEmitter, on } from "node:events";
import type { Request } from "express";
import type { components } from "./operations.ts";

type Transfer = components["schemas"]["Transfer"];

const events = new EventEmitter<{ change: [Transfer] }>().setMaxListeners(0);
let count = 0;

/**
 * Reports a transfer to all who watch. It ends with the response: finished, or stopped if the client has gone before.
 * The handler describes its progress in `detail`.
 */
export function begin(request: Request, operation: string, detail = ""): Transfer {
  const transfer: Transfer = { id: ++count, operation, state: "running", detail };
  const response = request.res!; // Express sets it
  events.emit("change", { ...transfer });
  response.once("close", () => {
    transfer.state = response.writableFinished ? "finished" : "stopped";
    events.emit("change", { ...transfer });
  });
  return transfer;
}

/** The changes of all transfers, until the signal aborts. */
export async function* changes(signal: AbortSignal): AsyncGenerator<Transfer> {
  for await (const [transfer] of on(events, "change", { signal })) yield transfer as Transfer;
}
