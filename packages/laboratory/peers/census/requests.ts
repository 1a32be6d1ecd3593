import { buildRequest } from "swagger-client/es/execute/index.js";
import type { DescribedOperation, Node } from "./description.ts";
import type { Values } from "./values.ts";

/** A request as it is sent. */
export interface SentRequest {
  method: string;
  /** Path and query. */
  target: string;
  headers: Record<string, string>;
  body: Uint8Array | undefined;
}

/** The chosen values of an operation's inputs. */
export interface Inputs {
  parameters: { parameter: Node; value: unknown }[];
  body: { mediaType: string; media: Node; fields: Record<string, Node>; value: unknown } | undefined;
}

/** An invalid request, and its only fault. */
export interface InvalidRequest {
  fault: string;
  request: SentRequest;
}

/** Thrown if no valid request can be made. The message says why. */
export class NoRequest extends Error {}

/** Headers that OpenAPI ignores as parameters, and those that an HTTP client sets itself. */
const IGNORED_HEADERS = new Set(["accept", "content-type", "authorization", "content-length", "transfer-encoding"]);

/** Chooses valid values for all parameters and the body. Throws `NoRequest`. */
export function chooseInputs(operation: DescribedOperation, values: Values): Inputs {
  const parameters = operation.parameters.flatMap((parameter) => {
    if (parameter["in"] === "header" && IGNORED_HEADERS.has(String(parameter["name"]).toLowerCase())) return [];
    const schema = parameterSchema(parameter);
    for (const value of values.valid(schema, examplesOf(parameter))) {
      if (canBeSent(parameter, value)) return { parameter, value };
    }
    if (parameter["required"] === true || parameter["in"] === "path") {
      throw new NoRequest(`no valid value for a parameter in ${String(parameter["in"])}`);
    }
    return [];
  });
  return { parameters, body: chooseBody(operation, values) };
}

function chooseBody({ requestBody, method }: DescribedOperation, values: Values): Inputs["body"] {
  const content = Object.entries((requestBody?.["content"] ?? {}) as Record<string, Node>);
  if (content.length === 0 || method === "GET" || method === "HEAD" || method === "TRACE") return undefined;
  for (const [declared, media] of content) {
    const mediaType = declared === "*/*" ? "application/json" : declared.replace("/*", "/plain");
    const fields = values.fieldSchemas(media["schema"]);
    if (kindOf(mediaType) === "bytes") return { mediaType, media, fields, value: "text" };
    for (const value of values.valid(media["schema"], examplesOf(media))) {
      if (kindOf(mediaType) === "JSON" || kindOf(mediaType) === "text" || isRecord(value))
        return { mediaType, media, fields, value };
    }
  }
  if (requestBody?.["required"] !== true) return undefined;
  throw new NoRequest("no valid value for the body");
}

function parameterSchema(parameter: Node): unknown {
  const [media] = Object.values((parameter["content"] ?? {}) as Record<string, Node>);
  return media === undefined ? parameter["schema"] : media["schema"];
}

function examplesOf({ example, examples }: Node): unknown[] {
  const more = isRecord(examples) ? Object.values(examples).map((entry) => (entry as Node | null)?.["value"]) : [];
  return [example, ...more].filter((value) => value !== undefined);
}

/** Returns whether OpenAPI defines how a parameter's value is written: no nulls, nothing nested, nothing empty. */
function canBeSent(parameter: Node, value: unknown): boolean {
  if (parameter["content"] !== undefined) return true;
  const parts = Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : [value];
  const isFlat = parts.length > 0 && parts.every((part) => part !== null && typeof part !== "object");
  if (!isFlat) return false;
  const texts = parts.map(String);
  if (texts.some((text) => text === "" || /[\r\n\0]/.test(text))) return false;
  if (parameter["in"] === "header")
    return texts.every((text) => /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text));
  return parameter["in"] !== "path" || !texts.every((text) => text === "." || text === "..");
}

/** Encodes the inputs of an operation, with credentials. */
export function encode(operation: DescribedOperation, inputs: Inputs, credentials: Credentials): SentRequest {
  const path = operation.path.replaceAll(/[^!-~]|[?#]/gu, encodeURIComponent);
  const parameters = inputs.parameters.map(({ parameter }) => parameter);
  const spec = {
    openapi: "3.0.3",
    info: { title: "", version: "" },
    paths: { [path]: { [operation.method.toLowerCase()]: { operationId: "x", parameters, responses: {} } } },
  };
  const built = buildRequest({
    spec,
    operationId: "x",
    server: "",
    parameters: Object.fromEntries(
      inputs.parameters.map(({ parameter, value }) => [
        `${String(parameter["in"])}.${String(parameter["name"])}`,
        value,
      ]),
    ),
  });
  const headers = Object.fromEntries(
    Object.entries(built.headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
  let target = built.url;
  for (const { place, name, value } of credentials) {
    if (place === "header") headers[name.toLowerCase()] ??= value;
    else if (place === "query" && parameters.some((own) => own["in"] === "query" && own["name"] === name)) continue;
    else if (place === "query") target += `${target.includes("?") ? "&" : "?"}${encodeURIComponent(name)}=${value}`;
    else headers["cookie"] = [headers["cookie"], `${name}=${value}`].filter(Boolean).join("; ");
  }
  const body = inputs.body && encodeBody(inputs.body);
  if (inputs.body && body) headers["content-type"] = body.contentType;
  return { method: operation.method, target, headers, body: body?.bytes };
}

/** Credentials that any server of the census accepts. */
export type Credentials = { place: string; name: string; value: string }[];

/** Returns the credentials of the first requirement, and a stand-in for each of its schemes. */
export function credentialsOf(operation: DescribedOperation, schemes: Record<string, Node>): Credentials {
  const [requirement = {}] = operation.security;
  return Object.keys(requirement).flatMap((name) => {
    const scheme = schemes[name] ?? {};
    if (scheme["type"] === "apiKey")
      return { place: String(scheme["in"]), name: String(scheme["name"]), value: "secret" };
    const kind = scheme["type"] === "http" ? String(scheme["scheme"]) : "Bearer";
    const value = `${kind} ${kind.toLowerCase() === "basic" ? btoa("user:secret") : "secret"}`;
    return scheme["type"] === "mutualTLS" ? [] : { place: "header", name: "Authorization", value };
  });
}

function encodeBody({ mediaType, media, fields, value }: NonNullable<Inputs["body"]>): {
  contentType: string;
  bytes: Uint8Array;
} {
  const kind = kindOf(mediaType);
  if (kind === "JSON") return { contentType: mediaType, bytes: Buffer.from(JSON.stringify(value)) };
  if (kind === "form") {
    const encoding = (media["encoding"] ?? {}) as Record<string, Node>;
    const form = new URLSearchParams();
    for (const [name, field] of Object.entries(value as Node)) {
      if (encoding[name]?.["style"] === "deepObject" && typeof field === "object" && field !== null) {
        for (const [key, text] of deepPairs(name, field as Node)) form.append(key, text);
        continue;
      }
      const isExploded = encoding[name]?.["explode"] ?? true;
      const isScalarList = Array.isArray(field) && field.every((item) => typeof item !== "object");
      if (isScalarList && isExploded === true) for (const item of field) form.append(name, String(item));
      else form.append(name, isScalarList ? field.join(",") : textOf(field));
    }
    return { contentType: mediaType, bytes: Buffer.from(form.toString()) };
  }
  if (kind === "parts") return encodeParts(mediaType, media, fields, value as Node);
  return { contentType: mediaType, bytes: Buffer.from(textOf(value)) };
}

/** Returns the pairs of an object in the style `deepObject`, with nested names in brackets. */
function deepPairs(name: string, value: Node | unknown[]): [name: string, text: string][] {
  return Object.entries(value).flatMap(([key, field]: [string, unknown]): [string, string][] => {
    const inner = `${name}[${key}]`;
    return typeof field === "object" && field !== null ? deepPairs(inner, field as Node) : [[inner, textOf(field)]];
  });
}

const BOUNDARY = "census-8c1f2a";

function encodeParts(
  mediaType: string,
  media: Node,
  fields: Record<string, Node>,
  value: Node,
): { contentType: string; bytes: Uint8Array } {
  const encoding = (media["encoding"] ?? {}) as Record<string, Node>;
  const parts = Object.entries(value).flatMap(([name, field]) => {
    const schema = fields[name] ?? {};
    const items = Array.isArray(field) ? field : [field];
    const itemSchema = Array.isArray(field) ? ((schema["items"] ?? {}) as Node) : schema;
    return items.map((item) => {
      const isFile = itemSchema["format"] === "binary" || itemSchema["contentMediaType"] === "application/octet-stream";
      const type = encoding[name]?.["contentType"];
      const defaultType = isFile
        ? "application/octet-stream"
        : typeof item === "object"
          ? "application/json"
          : undefined;
      const contentType =
        typeof type === "string"
          ? type.split(",")[0]!.trim().replace("*/*", "text/plain").replace("/*", "/plain")
          : defaultType;
      const quoted = name.replaceAll('"', "%22");
      return [
        `--${BOUNDARY}`,
        `Content-Disposition: form-data; name="${quoted}"${isFile ? '; filename="file"' : ""}`,
        ...(contentType === undefined ? [] : [`Content-Type: ${contentType}`]),
        "",
        textOf(item),
      ].join("\r\n");
    });
  });
  const essence = mediaType.split(";")[0]!;
  return {
    contentType: `${essence}; boundary=${BOUNDARY}`,
    bytes: Buffer.from(`${parts.map((part) => `${part}\r\n`).join("")}--${BOUNDARY}--\r\n`),
  };
}

/** Returns how a body of a media type is written. */
export function kindOf(mediaType: string): "JSON" | "form" | "parts" | "text" | "bytes" {
  const essence = mediaType.split(";")[0]!.trim().toLowerCase();
  if (/^application\/(?:.*\+)?json$|^text\/json$/.test(essence)) return "JSON";
  if (essence === "application/x-www-form-urlencoded") return "form";
  if (essence.startsWith("multipart/")) return "parts";
  return essence === "text/plain" ? "text" : "bytes";
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function isRecord(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Makes up to `count` invalid requests with one known fault each. */
export function invalidRequests(
  operation: DescribedOperation,
  inputs: Inputs,
  values: Values,
  encodeInputs: (inputs: Inputs) => SentRequest,
  count: number,
): InvalidRequest[] {
  const made: InvalidRequest[] = [];
  for (const [fault, faulty] of faultyInputs(operation, inputs, values, encodeInputs)) {
    if (made.length === count) break;
    if (made.some((earlier) => earlier.fault === fault)) continue;
    made.push({ fault, request: typeof faulty === "function" ? faulty(encodeInputs(inputs)) : encodeInputs(faulty) });
  }
  return made;
}

type Change = (request: SentRequest) => SentRequest;

function* faultyInputs(
  operation: DescribedOperation,
  inputs: Inputs,
  values: Values,
  encodeInputs: (inputs: Inputs) => SentRequest,
): Generator<[string, Inputs | Change]> {
  const { body, parameters } = inputs;
  const withParameter = (at: number, value: unknown): Inputs => ({
    ...inputs,
    parameters: parameters.with(at, {
      parameter: { ...parameters[at]!.parameter, schema: {}, content: undefined, style: undefined },
      value,
    }),
  });
  const isBodyRequired = operation.requestBody?.["required"] === true;
  if (body && isBodyRequired) yield ["a required body is missing", { ...inputs, body: undefined }];
  for (const [at, { parameter }] of parameters.entries()) {
    const place = String(parameter["in"]);
    if (parameter["required"] === true && place !== "path") {
      yield [`a required parameter is missing in ${place}`, { ...inputs, parameters: parameters.toSpliced(at, 1) }];
    }
    const schema = parameter["schema"];
    const text = "not-a-value-of-this";
    const isInvalid =
      ["string", "number", "boolean", "array", "object"].length > 0 &&
      schema !== undefined &&
      !acceptsText(values, schema, text);
    if (isInvalid) yield [`a parameter has an invalid value in ${place}`, withParameter(at, text)];
  }
  if (body && kindOf(body.mediaType) === "JSON") {
    yield ["the body is not JSON", (request) => ({ ...request, body: Buffer.from('{"a":') })];
    for (const wrong of [[], {}, 1, "text"]) {
      if (!values.isValid(body.media["schema"], wrong)) {
        yield ["the body has the wrong type or lacks fields", { ...inputs, body: { ...body, value: wrong } }];
        break;
      }
    }
    if (isRecord(body.value)) {
      for (const [name, field] of Object.entries(body.value)) {
        const wrong = typeof field === "string" ? { a: { b: 1 } } : "not-a-value-of-this";
        const value = { ...body.value, [name]: wrong };
        if (!values.isValid(body.media["schema"], value)) {
          yield ["a field of the body has the wrong type", { ...inputs, body: { ...body, value } }];
          break;
        }
      }
    }
  }
  if (
    body &&
    encodeInputs(inputs).body!.length > 0 &&
    operation.requestBody?.["content"] &&
    !Object.keys(operation.requestBody["content"]).some((type) => type.includes("*"))
  ) {
    yield [
      "the media type is not declared",
      (request) => ({ ...request, headers: { ...request.headers, "content-type": "application/x-census" } }),
    ];
  }
}

/** Returns whether a schema accepts a text that is neither a number nor `true`, nor one of an enumeration. */
function acceptsText(values: Values, schema: unknown, text: string): boolean {
  return [text, [text], {}, { [text]: "" }, { [text]: text }].some((value) => values.isValid(schema, value));
}
