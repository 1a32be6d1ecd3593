import { Problem } from "express-operations";
import { negotiatedType } from "express-operations/accept";
import {
  type ExampleResponse,
  exampleResponse as responseFor,
  statusesOf,
  successResponse as successFor,
  successStatus,
  type Wanted as Choices,
} from "express-operations/example-responses";
import type { OpenApiDocument, OperationEntry } from "openapi-document";
import { randomNumbers } from "./conditions.ts";
import type { Preferences } from "./prefer.ts";

export type { ExampleResponse as MockResponse };
export { successStatus };

/** A response and the preferences that it meets. */
export interface PreferredResponse {
  response: ExampleResponse;
  applied: Preferences;
}

/** The wishes of a request for its response. */
export interface Wanted extends Omit<Choices, "chooseType"> {
  /** The header `Accept`. Default: any media type. */
  accept?: string | undefined;
}

/** Resolves to the response of an operation with a status. Rejects with a 406 if `Accept` allows no media type of a success. */
export function exampleResponse(
  document: OpenApiDocument,
  entry: OperationEntry,
  status: number,
  wanted: Wanted = {},
): ReturnType<typeof responseFor> {
  return responseFor(document, entry, status, choicesOf(wanted));
}

/** Resolves to the success response of an operation. */
export function successResponse(
  document: OpenApiDocument,
  entry: OperationEntry,
  wanted: Wanted = {},
): Promise<ExampleResponse> {
  return successFor(document, entry, choicesOf(wanted));
}

function choicesOf({ accept, ...choices }: Wanted): Choices {
  return { ...choices, chooseType: (contentTypes, status) => acceptedType(contentTypes, status, accept) };
}

/** Returns the media type that `Accept` prefers. An error may have another one. */
function acceptedType(contentTypes: string[], status: number, accept = ""): { declared: string; sent?: string } {
  const [first] = contentTypes as [string, ...string[]];
  if (accept === "") return { declared: first };
  const accepted = negotiatedType(contentTypes, accept);
  if (accepted !== undefined) return accepted;
  if (status >= 400) return { declared: first };
  const names = contentTypes.join(" or ");
  throw new Problem(
    406,
    "not_acceptable",
    `This response has the media type ${names}. Send an Accept header that allows this, or none.`,
  );
}

/** Resolves to the response that meets as many preferences as possible; to undefined if it can meet none. */
export async function preferredResponse(
  document: OpenApiDocument,
  entry: OperationEntry,
  { code, example, dynamic, seed }: Preferences,
  accept?: string,
): Promise<PreferredResponse | undefined> {
  const applied = code === undefined ? {} : { code };
  if (dynamic) {
    const random = randomNumbers(seed ?? Math.floor(Math.random() * 2 ** 31));
    const response = await exampleResponse(document, entry, code ?? successStatus(entry), { random, accept });
    if (response?.body === undefined) return undefined;
    return { response, applied: { ...applied, dynamic, ...(seed !== undefined && { seed }) } };
  }
  if (example !== undefined) {
    for (const status of code === undefined ? statusesOf(entry) : [code]) {
      const response = await exampleResponse(document, entry, status, { example, accept });
      if (response !== undefined) return { response, applied: { ...applied, example } };
    }
  }
  const response = code === undefined ? undefined : await exampleResponse(document, entry, code, { accept });
  return response && { response, applied };
}
