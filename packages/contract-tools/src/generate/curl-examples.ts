import { type Example, exampleRequests } from "express-operations/conformance";
import { type OpenApiDocument, type OperationEntry, operationsOf, requirementsOf } from "express-operations/reading";
import { requiredSchemes, type SecurityScheme, verifierOf } from "./security-schemes.ts";

/**
 * Returns commands that call operations of a document with curl: the first one that reads, and the first that sends JSON.
 * Paths without parameters come first. `{url}` stands for the base URL, `{key}` for an API key, and `$TOKEN` for a token.
 */
export function curlExamples(document: OpenApiDocument): string[] {
  const entries = operationsOf(document);
  const simplestFirst = entries.toSorted((one, other) => parameterCount(one) - parameterCount(other));
  const reading = simplestFirst.find(({ method }) => method === "get");
  const writing = simplestFirst.filter(({ method }) => method === "post").find((entry) => sendsJson(document, entry));
  return [reading, writing].flatMap((entry) => (entry === undefined ? [] : (curlExample(document, entry) ?? [])));
}

/** Returns the command for one operation; undefined if the document has no example of a required value. */
export function curlExample(document: OpenApiDocument, entry: OperationEntry): string | undefined {
  const request = exampleRequestOf(document, entry);
  if (request === undefined) return undefined;
  const { method, target, headers, body } = request;
  const { options, query } = credentialsOf(document, entry);
  const address = query === "" ? target : `${target}${target.includes("?") ? "&" : "?"}${query}`;
  const parts = [
    ...(method === "GET" ? [] : method === "POST" && body !== undefined ? [] : [`-X ${method}`]),
    ...options,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${titleCase(name)}: ${value}`)}`),
    ...(typeof body === "string" ? [`-d ${quoted(body)}`] : []),
  ];
  const url = /[^\w/.~{}-]/.test(address)
    ? `"{url}${address.replaceAll(/["`\\]|\$(?!\w)/g, String.raw`\$&`)}"`
    : `{url}${address}`;
  return ["curl -i", ...parts, url].join(" ");
}

function sendsJson(document: OpenApiDocument, entry: OperationEntry): boolean {
  return exampleRequestOf(document, entry)?.headers["content-type"]?.startsWith("application/json") === true;
}

/** Returns the example request of one operation; undefined if the document has no example of a required value. */
export function exampleRequestOf(document: OpenApiDocument, entry: OperationEntry): Example | undefined {
  try {
    return exampleRequest(document, entry);
  } catch {
    return undefined;
  }
}

/** Returns the example request of one operation. Throws if the document has no example of a required value. */
export function exampleRequest(document: OpenApiDocument, entry: OperationEntry): Example {
  const item = (document.paths as Record<string, object>)[entry.path]!;
  const own = Object.entries(item).filter(([key]) => key === entry.method || !METHODS.test(key));
  const requests = exampleRequests({ ...document, paths: { [entry.path]: Object.fromEntries(own) } });
  return requests.find(({ operationId }) => operationId === entry.id)!;
}

/** The fields of a path item with operations, without those of OpenAPI 3.2. */
const METHODS = /^(?:get|put|post|delete|options|head|patch|trace)$/;

/** Returns the options of curl, and the query, that send the credentials of the operation's first requirement. */
function credentialsOf(document: OpenApiDocument, entry: OperationEntry): { options: string[]; query: string } {
  const schemes = requiredSchemes(document, [entry]);
  const [requirement = {}] = requirementsOf(document, entry);
  const used = Object.keys(requirement).flatMap((name) => schemes.get(name) ?? []);
  const inQuery = used.filter((scheme) => scheme.type === "apiKey" && scheme.in === "query");
  return {
    options: used.flatMap(optionOf),
    query: inQuery.map(({ name = "" }) => `${encodeURIComponent(name)}={key}`).join("&"),
  };
}

function optionOf(scheme: SecurityScheme): string[] {
  const { type, in: place, name = "" } = scheme;
  if (type === "apiKey") {
    if (place === "query") return [];
    return [place === "cookie" ? `-b "${name}={key}"` : `-H "${name}: {key}"`];
  }
  const verifier = verifierOf(scheme);
  if (verifier === "basic") return ["-u user:password"];
  if (verifier === "none") return [];
  return [`-H "Authorization: Bearer ${verifier === "token" ? "$TOKEN" : "{key}"}"`];
}

function parameterCount({ path, parameters }: OperationEntry): number {
  return path.split("{").length + parameters.filter(({ required }) => required === true).length;
}

function titleCase(header: string): string {
  return header.replaceAll(/(^|-)([a-z])/g, (_, before: string, letter: string) => before + letter.toUpperCase());
}

/** Quotes a word for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
