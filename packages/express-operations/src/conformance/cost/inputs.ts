import type { OpenApiDocument, OperationEntry } from "openapi-document";
import {
  type Credentials,
  emptyRequest,
  encodeRequest,
  type ExampleRequest,
  exampleRequest,
} from "../example-request.ts";
import { bodyInputs } from "./body-inputs.ts";
import { AUTHORITIES, headerInputs, pathInputs, queryInputs } from "./head-inputs.ts";

/** A request without the headers that frame it. */
export interface RawRequest {
  method: string;
  /** Written before the path in the request target (RFC 9112, section 3.2.2). */
  authority?: string;
  /** Below the base URL. */
  path: string;
  /** Empty, or with its question mark. */
  query: string;
  headers: [name: string, value: string][];
  body: string | undefined;
}

/** A request of an operation with one input of any size. */
export interface GrowingInput {
  /** The input and its repeated text, such as `query a[k0]=1&a[k1]=1&…`. */
  title: string;
  /** The parts of the request that grow and that a schema validates, such as `body` or `query filter`. */
  of: string[];
  /** The part of the request whose limit bounds the input. */
  part: "head" | "target" | "body";
  /** Returns the request with about `size` bytes of the input. */
  request: (size: number) => RawRequest;
}

/** Returns large inputs of each kind that an operation's requests can hold: query, path, host, headers, cookies and body. */
export function growingInputs(
  document: OpenApiDocument,
  entry: OperationEntry,
  credentials: Credentials,
): GrowingInput[] {
  const base = baseRequest(document, entry, credentials);
  const inPart =
    (part: GrowingInput["part"]) =>
    (title: string, of: string[], change: (size: number) => Partial<RawRequest>): GrowingInput => {
      return { title, of, part, request: (size) => ({ ...base, ...change(size) }) };
    };
  const [inHead, inTarget, inBody] = [inPart("head"), inPart("target"), inPart("body")];
  const without = (name: string) => base.headers.filter(([own]) => own.toLowerCase() !== name.toLowerCase());
  return [
    ...queryInputs(document, entry).map(({ title, of = [], fill }) =>
      inTarget(`query ${title}`, of, (size) => ({
        query: `${base.query === "" ? "?" : `${base.query}&`}${fill(size)}`,
      })),
    ),
    ...pathInputs(entry, base.path).map(({ title, of = [], fill }) =>
      inTarget(`path ${title}`, of, (size) => ({ path: fill(size) })),
    ),
    ...AUTHORITIES.map(({ title, fill }) => inTarget(`authority ${title}`, [], (size) => ({ authority: fill(size) }))),
    ...headerInputs(entry).map(({ title, of = [], name, fill }) =>
      inHead(`header ${name}: ${title}`, of, (size) => ({ headers: [...without(name), [name, fill(size)]] })),
    ),
    ...bodyInputs(document, entry, base.body).map(({ title, contentType, fill }) => {
      const headers: RawRequest["headers"] = [...without("Content-Type"), ["Content-Type", contentType]];
      return inBody(`body ${title}`, ["body"], (size) => ({ headers, body: fill(size) }));
    }),
  ];
}

/**
 * Returns a valid request if the document has all examples. Otherwise its parameters are made up, because most inputs
 * are invalid anyway.
 */
export function baseRequest(document: OpenApiDocument, entry: OperationEntry, credentials: Credentials): RawRequest {
  let example: ExampleRequest;
  try {
    example = exampleRequest(document, entry, credentials);
  } catch {
    example = emptyRequest(entry, credentials);
  }
  const { method, path, query, headers, body } = encodeRequest(example);
  return { method, path, query, headers: [...headers], body: typeof body === "string" ? body : undefined };
}
