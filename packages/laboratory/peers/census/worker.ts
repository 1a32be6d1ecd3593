import { Agent, request as httpRequest } from "node:http";
import { type Description, operationsOf } from "./description.ts";
import { readDocument } from "../../documents/census.ts";
import { type Made, requestMaker, textOf } from "./made.ts";
import type { SentRequest } from "./requests.ts";
import type { DocumentResult } from "./report.ts";
import { type Reply, serve, type Served } from "../../documents/served.ts";

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
  const result: DocumentResult = { name, operations: made.length, failures: [], accepted: [], invalid: 0 };
  let served: Served;
  try {
    const ids = made.map(({ operation }) => operation.id);
    served = await serve(structuredClone(document) as never, ids, reply);
  } catch (error) {
    result.startError = textOf(error);
    for (const { operation, missing } of made)
      result.failures.push({ operationId: operation.id, cause: missing ?? "the document does not start" });
    return result;
  }
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (const { operation, valid, invalid, response, missing } of made) {
    if (valid === undefined) {
      result.failures.push({ operationId: operation.id, cause: missing! });
      continue;
    }
    current = response;
    handled = 0;
    const status = await exchange(served.port, agent, valid);
    if (status !== response.status || handled === 0) {
      const place = handled > 0 ? "after the handler" : "before the handler";
      result.failures.push({ operationId: operation.id, cause: `${status} ${place}: ${textOf(served.lastError())}` });
    }
    for (const { fault, request } of invalid) {
      handled = 0;
      const refusal = await exchange(served.port, agent, request);
      result.invalid++;
      if (refusal < 400 || refusal >= 500 || handled > 0) {
        const cause = refusal >= 500 ? textOf(served.lastError()) : `the handler was called (${refusal})`;
        result.accepted.push({ operationId: operation.id, cause: `${fault}: ${cause}` });
      }
    }
  }
  agent.destroy();
  await served.close();
  return result;
}

/** Sends a request and resolves with the status. It is 0 if there is no response, or if HTTP cannot carry the request. */
function exchange(port: number, agent: Agent, { method, target, headers, body }: SentRequest): Promise<number> {
  return new Promise((done) => {
    if (!Object.keys(headers).every(isToken)) return done(0);
    const length = body === undefined ? {} : { "content-length": String(body.length) };
    const request = httpRequest(
      { host: "127.0.0.1", port, agent, method, path: target, headers: { ...headers, ...length }, timeout: 30_000 },
      (response) =>
        response
          .resume()
          .on("end", () => done(response.statusCode!))
          .on("error", () => done(0)),
    );
    request.on("timeout", () => request.destroy(new Error("no response")));
    request.on("error", () => done(0));
    request.end(body);
  });
}

/** Returns whether a text can be the name of a header (RFC 9110, section 5.6.2). */
function isToken(name: string): boolean {
  return /^[!#$%&'*+.^`|~\w-]+$/.test(name);
}

process.on("message", (name: string) => void serveDocument(name).then((result) => process.send!(result)));
