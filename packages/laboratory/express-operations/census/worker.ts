import { Agent } from "node:http";
import { type Description, operationsOf } from "./description.ts";
import { readDocument } from "../../documents/directory.ts";
import { exchange } from "./exchange.ts";
import { type Made, requestMaker, textOf } from "./made.ts";
import type { SentRequest } from "./requests.ts";
import type { DocumentResult } from "./result.ts";
import { type Reply, serve, type Served } from "./served.ts";

/** Serves one document, and sends the requests of all its operations. */
async function serveDocument(name: string): Promise<DocumentResult> {
  const document = readDocument(name) as Description;
  const made: Made[] = operationsOf(document).map(requestMaker(document));
  let current: Reply = { status: 500, contentType: undefined, body: undefined };
  let handled = 0;
  const reply = () => {
    handled++;
    return current;
  };
  const result: DocumentResult = {
    name,
    operations: made.length,
    startMilliseconds: 0,
    failures: [],
    accepted: [],
    invalid: 0,
    serverErrors: 0,
    slowestFirst: 0,
    slowestLater: 0,
    longestBusy: 0,
  };
  const start = performance.now();
  let served: Served;
  try {
    served = await serve(
      structuredClone(document),
      made.map(({ operation }) => operation),
      reply,
    );
  } catch (error) {
    result.startError = textOf(error);
    for (const { operation, missing } of made)
      result.failures.push({ operationId: operation.id, cause: missing ?? "the document does not start" });
    return result;
  }
  result.startMilliseconds = performance.now() - start;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const send = async (request: SentRequest) => {
    const before = performance.eventLoopUtilization();
    const exchanged = await exchange(served.port, agent, request);
    result.longestBusy = Math.max(result.longestBusy, performance.eventLoopUtilization(before).active);
    return exchanged;
  };
  for (const { operation, valid, invalid, response, missing } of made) {
    if (valid === undefined) {
      result.failures.push({ operationId: operation.id, cause: missing! });
      continue;
    }
    current = response;
    handled = 0;
    const first = await send(valid);
    const wasHandled = handled > 0;
    result.slowestFirst = Math.max(result.slowestFirst, first.milliseconds);
    if (first.status >= 500 && response.status < 500) result.serverErrors++;
    if (first.status !== response.status || !wasHandled) {
      const place = wasHandled ? "after the handler" : "before the handler";
      result.failures.push({
        operationId: operation.id,
        cause: `${first.status} ${place}: ${textOf(served.lastError())}`,
      });
    } else {
      result.slowestLater = Math.max(result.slowestLater, (await send(valid)).milliseconds);
    }
    for (const { fault, request } of invalid) {
      handled = 0;
      const { status, milliseconds } = await send(request);
      result.invalid++;
      result.slowestLater = Math.max(result.slowestLater, milliseconds);
      if (status >= 500) result.serverErrors++;
      if (status < 400 || status >= 500 || handled > 0) {
        const cause = status >= 500 ? textOf(served.lastError()) : `the handler was called (${status})`;
        result.accepted.push({ operationId: operation.id, fault, cause });
      }
    }
  }
  agent.destroy();
  await served.close();
  return result;
}

process.on("message", (name: string) => void serveDocument(name).then((result) => process.send!(result)));
