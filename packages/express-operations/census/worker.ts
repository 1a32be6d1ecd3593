import { Agent, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { type ContenderName, CONTENDERS, type Reply, type Served } from "./contenders.ts";
import { type Description, type DescribedOperation, type Node, operationsOf } from "./description.ts";
import { readDocument } from "./directory.ts";
import {
  chooseInputs,
  credentialsOf,
  encode,
  type Inputs,
  type InvalidRequest,
  invalidRequests,
  kindOf,
  NoRequest,
  type SentRequest,
} from "./requests.ts";
import type { DocumentResult } from "./result.ts";
import { Values } from "./values.ts";

const INVALID_REQUESTS = 3;

/** Serves one document with one library, and sends the requests of all its operations. */
async function serveDocument(
  name: string,
  contender: ContenderName,
  document: Description,
  made: Made[],
): Promise<DocumentResult> {
  let current: Reply = { status: 500, contentType: undefined, body: undefined };
  let handled = 0;
  const reply = () => {
    handled++;
    return current;
  };
  const result: DocumentResult = {
    name,
    contender,
    operations: made.length,
    startMilliseconds: 0,
    failures: [],
    accepted: [],
    invalid: 0,
    serverErrors: 0,
    slowestFirst: 0,
    slowestLater: 0,
  };
  const start = performance.now();
  let served: Served;
  try {
    served = await CONTENDERS[contender](
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
  const send = (request: SentRequest) => exchange(served, agent, request);
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

/** The requests of an operation. They are the same for every library. */
interface Made {
  operation: DescribedOperation;
  response: Reply;
  valid?: SentRequest;
  invalid: InvalidRequest[];
  /** Why there is no valid request. */
  missing?: string;
}

function makeRequests(document: Description): Made[] {
  const requestValues = new Values(document, "request");
  const responseValues = new Values(document, "response");
  const schemes = (document.components?.["securitySchemes"] ?? {}) as Record<string, Node>;
  return operationsOf(document).map((operation) => {
    const response = replyOf(operation, responseValues);
    const credentials = credentialsOf(operation, schemes);
    const encodeInputs = (inputs: Inputs) => encode(operation, inputs, credentials);
    try {
      const inputs = chooseInputs(operation, requestValues);
      const valid = encodeInputs(inputs);
      const invalid = invalidRequests(operation, inputs, requestValues, encodeInputs, INVALID_REQUESTS);
      return { operation, response, valid, invalid };
    } catch (error) {
      const reason = error instanceof NoRequest ? error.message : textOf(error);
      return { operation, response, invalid: [], missing: `no request: ${reason}` };
    }
  });
}

function replyOf({ status, response }: DescribedOperation, values: Values): Reply {
  const [declared] = Object.entries((response["content"] ?? {}) as Record<string, Node>);
  if (declared === undefined || status === 204 || status === 304 || status < 200)
    return { status, contentType: undefined, body: undefined };
  const [type, media] = declared;
  const contentType = type === "*/*" ? "application/json" : type.replace("/*", "/plain");
  if (kindOf(contentType) !== "JSON") return { status, contentType, body: "text" };
  for (const body of values.valid(media["schema"])) return { status, contentType, body };
  return { status, contentType, body: {} };
}

function exchange(served: Served, agent: Agent, { method, target, headers, body }: SentRequest) {
  const { port } = served.server.address() as AddressInfo;
  const start = performance.now();
  return new Promise<{ status: number; milliseconds: number }>((resolve) => {
    const done = (status: number) => resolve({ status, milliseconds: performance.now() - start });
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

function textOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : "";
  return (text + cause).slice(0, 2_000);
}

async function serveAll(name: string, contenders: ContenderName[]): Promise<DocumentResult[]> {
  const document = readDocument(name) as Description;
  const made = makeRequests(document);
  const results: DocumentResult[] = [];
  for (const contender of contenders) results.push(await serveDocument(name, contender, document, made));
  return results;
}

process.on("message", ({ name, contenders }: { name: string; contenders: ContenderName[] }) => {
  void serveAll(name, contenders).then((results) => process.send!(results));
});
