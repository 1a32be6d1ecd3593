import type { OpenApiDocument, OperationEntry } from "../../document.ts";
import { essenceOf, isJson } from "../../media-type.ts";
import { type ExampleRequest, exampleRequest, pathOf } from "../example-request.ts";
import { bodyFillings } from "./body-inputs.ts";
import { headerFillings, manyHeaders } from "./header-inputs.ts";
import { repeated } from "./fillings.ts";
import { AUTHORITY_UNITS, pathFillings, queryFillings } from "./url-inputs.ts";

/** A request as it is sent, before the framing headers: the text of its target, its headers in order, its body. */
export interface RawRequest {
  method: string;
  /** Stands in the target, ahead of the path, where it is given (RFC 9112, section 3.2.2). */
  authority?: string;
  /** Below the base URL. */
  target: string;
  headers: [name: string, value: string][];
  body: string | undefined;
}

/** A request of an operation with one input that can be made as large as wanted. */
export interface GrowingInput {
  operationId: string;
  /** Which input grows and of what it consists, such as `query a[k0]=1&a[k1]=1&…`. */
  title: string;
  /** What grows, such as `body` or `query filter`, where it has a schema. */
  of?: string;
  /** Whether the limit of the head or that of the body bounds the input. */
  part: "head" | "body";
  /** The request with about `size` bytes of the input. */
  request: (size: number) => RawRequest;
}

/** Every input of an operation that a client chooses the size of: query, path, headers, cookies and body. */
export function growingInputs(document: OpenApiDocument, entry: OperationEntry): GrowingInput[] {
  const base = baseRequest(document, entry);
  const grow = (
    title: string,
    part: "head" | "body",
    of: GrowingInput["of"],
    change: (request: RawRequest, size: number) => Partial<RawRequest>,
  ): GrowingInput => ({
    operationId: entry.id,
    title,
    part,
    ...(of !== undefined && { of }),
    request: (size) => ({ ...base, ...change(base, size) }),
  });
  return [
    ...queryFillings(document, entry).map(({ title, fill, of }) =>
      grow(`query ${title}`, "head", of, ({ target }, size) => ({
        target: target + (target.includes("?") ? "&" : "?") + fill(size),
      })),
    ),
    ...pathFillings(entry).map(({ title, fill, of }) =>
      grow(`path ${title}`, "head", of, ({ target }, size) => ({ target: fill(size, target) })),
    ),
    ...AUTHORITY_UNITS.map((unit) =>
      grow(`authority ${unit}${unit}…`, "head", undefined, (_, size) => ({ authority: repeated(unit)(size) })),
    ),
    ...headerFillings(entry).map(({ title, name, fill, of }) =>
      grow(`header ${title}`, "head", of, ({ headers }, size) => ({
        headers: [...headers.filter(([own]) => own.toLowerCase() !== name.toLowerCase()), [name, fill(size)]],
      })),
    ),
    ...manyHeaders(entry).map(({ title, fill }) =>
      grow(`headers ${title}`, "head", undefined, ({ headers }, size) => ({ headers: [...headers, ...fill(size)] })),
    ),
    ...bodyFillings(document, entry).map(({ title, fill, contentType }) =>
      grow(`body ${title}`, "body", "body", ({ headers }, size) => ({
        headers: [...headers.filter(([name]) => name.toLowerCase() !== "content-type"), ["Content-Type", contentType]],
        body: fill(size),
      })),
    ),
  ];
}

/** A valid request as far as the document tells; what it leaves open is made up, since most inputs are invalid anyway. */
function baseRequest(document: OpenApiDocument, entry: OperationEntry): RawRequest {
  const method = entry.method.toUpperCase();
  let example: ExampleRequest;
  try {
    example = exampleRequest(document, entry);
  } catch {
    return { method, target: entry.path.replaceAll(/\{[^}]+\}/g, "1"), headers: [], body: undefined };
  }
  const query = example.query.map(({ text }) => text).join("&");
  const headers = [...example.headers];
  const cookies = Object.entries(example.cookies).map((pair) => pair.join("="));
  if (cookies.length > 0) headers.push(["cookie", cookies.join("; ")]);
  const value = example.body?.value;
  const isText = example.body !== undefined && isJson(essenceOf(example.body.contentType));
  if (isText) headers.push(["content-type", example.body!.contentType]);
  return {
    method,
    target: pathOf(example) + (query === "" ? "" : `?${query}`),
    headers,
    body: isText ? JSON.stringify(value) : undefined,
  };
}
