import type { Reply } from "../../documents/served.ts";
import type { Description, DescribedOperation, Node } from "./description.ts";
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
import { Values } from "./values.ts";

const INVALID_REQUESTS = 3;

/** The requests of an operation. They are the same for every library. */
export interface Made {
  operation: DescribedOperation;
  response: Reply;
  valid?: SentRequest;
  invalid: InvalidRequest[];
  /** Why there is no valid request. */
  missing?: string;
}

/** Returns a function that makes the requests of an operation of a document. */
export function requestMaker(document: Description): (operation: DescribedOperation) => Made {
  const requestValues = new Values(document, "request");
  const responseValues = new Values(document, "response");
  const schemes = (document.components?.["securitySchemes"] ?? {}) as Record<string, Node>;
  return (operation) => {
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
  };
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

/** Returns the message of an error and of its cause. */
export function textOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : "";
  return (text + cause).slice(0, 2_000);
}
