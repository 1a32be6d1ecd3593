import { type Example, exampleRequestMakers } from "express-operations/conformance";
import { type OpenApiDocument, type OperationEntry, operationsOf, requirementsOf } from "openapi-document";
import { requiredSchemes, type SecurityScheme, type Verifier, verifierOf } from "./credentials.ts";

/**
 * Returns commands that call operations of a document with curl, and their operations: the first one that reads, and the first
 * that sends JSON. Operations whose credentials a new service validates come first, then paths without parameters. `{url}`
 * stands for the base URL, `{key}` for an API key, and `$TOKEN` for a token.
 */
export function curlExamples(document: OpenApiDocument): { entry: OperationEntry; curl: string }[] {
  const simplestFirst = operationsOf(document).toSorted((one, other) => parameterCount(one) - parameterCount(other));
  const validatedFirst = (one: OperationEntry, other: OperationEntry) =>
    Number(isUnvalidated(document, one)) - Number(isUnvalidated(document, other));
  const sorted = simplestFirst.toSorted(validatedFirst);
  const reading = sorted.find(({ method }) => method === "get");
  const writing = sorted.find((entry) => entry.method === "post" && sendsJson(document, entry));
  const examples = [reading, writing].filter((entry) => entry !== undefined).toSorted(validatedFirst);
  return examples.flatMap((entry) => {
    const curl = curlExample(document, entry);
    return curl === undefined ? [] : [{ entry, curl }];
  });
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
  const known = makers.get(document) ?? exampleRequestMakers(document);
  makers.set(document, known);
  return known.get(entry.id)!();
}

/** The makers of a document's requests, because the document is read as a whole for them. */
const makers = new WeakMap<OpenApiDocument, ReturnType<typeof exampleRequestMakers>>();

/** The kinds of credentials, those first that are easiest to come by. */
const EASIEST: Verifier[] = ["apiKey", "token", "basic", "none"];

/** Returns the options of curl, and the query, that send the credentials of the operation's easiest requirement. */
function credentialsOf(document: OpenApiDocument, entry: OperationEntry): { options: string[]; query: string } {
  const used = easiestRequirement(document, entry);
  const inQuery = used.filter((scheme) => scheme.type === "apiKey" && scheme.in === "query");
  const options = new Map(used.flatMap(optionOf).toReversed()); // a request has one Authorization header: the first
  return {
    options: [...options.values()].toReversed(),
    query: inQuery.map(({ name = "" }) => `${encodeURIComponent(name)}={key}`).join("&"),
  };
}

/** Whether a new service answers each request of the operation with 401, since nothing validates its credentials yet. */
export function isUnvalidated(document: OpenApiDocument, entry: OperationEntry): boolean {
  return effort(easiestRequirement(document, entry)) > EASIEST.indexOf("token");
}

function easiestRequirement(document: OpenApiDocument, entry: OperationEntry): SecurityScheme[] {
  const schemes = requiredSchemes(document, [entry]);
  const alternatives = requirementsOf(document, entry).map((requirement) =>
    Object.keys(requirement).flatMap((name) => schemes.get(name) ?? []),
  );
  return alternatives.toSorted((one, other) => effort(one) - effort(other))[0] ?? [];
}

function effort(schemes: SecurityScheme[]): number {
  return Math.max(0, ...schemes.map((scheme) => EASIEST.indexOf(verifierOf(scheme))));
}

/** Returns the option of curl for a scheme, by the header or the cookie that it sets. */
function optionOf(scheme: SecurityScheme): [sets: string, option: string][] {
  const { type, in: place, name = "" } = scheme;
  if (type === "apiKey") {
    if (place === "query") return [];
    return [
      place === "cookie" ? [`cookie ${name}`, `-b "${name}={key}"`] : [name.toLowerCase(), `-H "${name}: {key}"`],
    ];
  }
  const verifier = verifierOf(scheme);
  if (verifier === "basic") return [["authorization", "-u user:password"]];
  if (verifier === "none") return [];
  return [["authorization", `-H "Authorization: Bearer ${verifier === "token" ? "$TOKEN" : "{key}"}"`]];
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
