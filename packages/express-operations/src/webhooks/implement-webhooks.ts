import type { Request } from "express";
import {
  type OpenApiDocument,
  type OperationEntry,
  type ParameterObject,
  readableDocument,
  webhooksOf,
} from "openapi-document";
import { secretBytes, signatureFault, type WebhookSecret } from "openapi-document/webhook-signature";
import { type Implementation, type ImplementOptions, serve } from "../implement.ts";
import { expectVersion } from "../validation/unsupported.ts";
import type { GivenHandler } from "../handler.ts";
import { Problem, PROBLEM_CODES } from "../problem.ts";
import type { VerifyBody } from "../request/body.ts";
import type { Handlers, HandlerTypes, ParametersIn } from "../types.ts";
import type { WebhookOperations } from "./types.ts";

/** The operations that `implementWebhooks` serves. Each request has a `webhook-id`. */
export type ReceivedWebhooks<Webhooks> = {
  [Id in keyof WebhookOperations<Webhooks>]: WithWebhookId<WebhookOperations<Webhooks>[Id]>;
};

type WithWebhookId<Operation> = Omit<Operation, "parameters"> & {
  parameters: Omit<Operation extends { parameters: infer Parameters } ? Parameters : unknown, "header"> & {
    header: ParametersIn<Operation, "header"> & { "webhook-id": string };
  };
};

/** The options of `implementWebhooks`: those of `implement`, and the two below. */
export type ImplementWebhooksOptions<
  Webhooks,
  Env extends HandlerTypes,
  Given extends Handlers<ReceivedWebhooks<Webhooks>, Env>,
> = ImplementOptions<ReceivedWebhooks<Webhooks>, Env, Given> & {
  /** The secret of the sender, or a function that chooses it by the request. A request without a secret gets a 401. */
  secret: WebhookSecret | ((request: Request) => WebhookSecret | undefined);
  /** The paths of webhooks by name. Default: `/` and the name, percent-encoded. */
  paths?: { [Name in keyof Webhooks]?: string };
};

/**
 * Serves the webhooks of a document with typed handlers, as `implement` does its paths. The signature of each request is
 * verified over the bytes of its body, before they are parsed (Standard Webhooks 1.0, "Verifying signatures"). Other
 * requests get a 401. Replays are left to the handlers: `headers["webhook-id"]` is the same in every attempt of a message.
 * The security requirements of the whole document do not apply to webhooks.
 */
export function implementWebhooks<Webhooks, Env extends HandlerTypes = HandlerTypes>() {
  return <Given extends Handlers<ReceivedWebhooks<Webhooks>, Env>>(
    options: ImplementWebhooksOptions<Webhooks, Env, Given>,
  ): Implementation => {
    const { secret, paths = {} } = options;
    expectVersion(options.document);
    const document = readableDocument(options.document);
    if (typeof secret !== "function") secretBytes(secret);
    const entries = receivedEntries(document, paths);
    const handlers = options.handlers as Record<string, GivenHandler>;
    return serve(document, entries, handlers, { ...options, verifyBody: verifier(secret) });
  };
}

const WEBHOOK_ID: ParameterObject = { name: "webhook-id", in: "header", required: true, schema: { type: "string" } };

/** Returns the operations of webhooks at their paths. A body that is not declared is read too, because it is signed. */
function receivedEntries(document: OpenApiDocument, paths: Record<string, string | undefined>): OperationEntry[] {
  const entries = webhooksOf(document);
  const names = new Set(entries.map(({ path }) => path));
  const unknown = Object.keys(paths).find((name) => !names.has(name));
  if (unknown !== undefined) throw new Error(`The document has no webhook "${unknown}": remove its path.`);
  return entries.map((entry) => {
    const { security = [], requestBody = { content: { "*/*": {} } }, ...operation } = entry.operation;
    return {
      ...entry,
      path: paths[entry.path] ?? `/${encodeURIComponent(entry.path)}`,
      operation: { ...operation, operationId: entry.id, security, requestBody },
      parameters: [...entry.parameters.filter(({ name }) => name.toLowerCase() !== "webhook-id"), WEBHOOK_ID],
    };
  });
}

const NOT_AUTHENTIC =
  "The webhook signature is missing or does not match the bytes of the body, or its timestamp is more than five minutes off.";

function verifier(secret: WebhookSecret | ((request: Request) => WebhookSecret | undefined)): VerifyBody {
  const secretOf = typeof secret === "function" ? secret : () => secret;
  return async (request, bytes) => {
    const own = secretOf(request);
    if (own && (await signatureFault(own, (name) => request.get(name), bytes)) === undefined) return;
    throw new Problem(401, PROBLEM_CODES[401], NOT_AUTHENTIC, { "WWW-Authenticate": "WebhookSignature" });
  };
}
