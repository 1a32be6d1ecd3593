import {
  type OpenApiDocument,
  type OperationEntry,
  requirementsOf,
  type SecurityScheme,
  securityScheme,
} from "openapi-document";

/** The credentials of a request. */
export interface Credentials {
  headers: Record<string, string>;
  query: Record<string, string>;
}

/**
 * Returns the credentials of an operation: those of its first requirement whose schemes all have a secret. The secret of HTTP Basic is
 * `user:password`.
 */
export function credentialsOf(
  document: OpenApiDocument,
  entry: OperationEntry,
  secrets: Readonly<Record<string, string>>,
): Credentials {
  const credentials: Credentials = { headers: {}, query: {} };
  const names = requirementsOf(document, entry).map((requirement) => Object.keys(requirement));
  for (const name of names.find((all) => all.every((each) => secrets[each] !== undefined)) ?? [])
    addCredential(credentials, securityScheme(document, name)!, secrets[name]!);
  return credentials;
}

function addCredential({ headers, query }: Credentials, scheme: SecurityScheme, secret: string): void {
  const { type, in: place, name = "" } = scheme;
  if (type === "apiKey" && place === "query") query[name] = secret;
  else if (type === "apiKey" && place === "cookie")
    headers["Cookie"] = [headers["Cookie"], `${name}=${secret}`].filter(Boolean).join("; ");
  else if (type === "apiKey") headers[name] = secret;
  else if (/^basic$/i.test(scheme.scheme ?? "")) headers["Authorization"] = `Basic ${btoa(secret)}`;
  else headers["Authorization"] = `Bearer ${secret}`;
}

/** Returns the operation at a method and a path with its query. HEAD is the GET. Undefined if there is none. */
export function operationAt(entries: OperationEntry[], method: string, target: string): OperationEntry | undefined {
  const segments = target.replace(/\?.*$/s, "").split("/");
  const matching = entries.filter((entry) => {
    const template = entry.path.split("/");
    const fits = template.every((part, at) => part.includes("{") || part === segments[at]);
    return entry.method.toUpperCase() === method && template.length === segments.length && fits;
  });
  const [found] = matching.toSorted((one, other) => one.path.split("{").length - other.path.split("{").length);
  return found === undefined && method === "HEAD" ? operationAt(entries, "GET", target) : found;
}
