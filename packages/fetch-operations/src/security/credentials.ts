import type { Api } from "../api.ts";
import type { OperationDescription } from "../operation.ts";
import { UnsendableRequest } from "../request/unsendable-request.ts";
import type { Applied, Credential, Secret } from "./schemes.ts";

/** The credentials of a client, by security scheme. */
export type Credentials = Readonly<Record<string, Credential | undefined>>;

/** The parts of one request that carry its credentials. `secrets` are the texts that no error may show, in any encoding. */
export interface Authorization extends Applied {
  headers: Record<string, string>;
  secrets: string[];
  /** Whether a function gave a credential, so that it can give another. */
  isRenewable: boolean;
}

/**
 * Returns the credentials of an operation: those of the first requirement whose schemes all have one. Throws
 * `UnsendableRequest` if there is none.
 */
export async function authorize(
  api: Api,
  { id, security = api.security }: OperationDescription,
  credentials: Credentials,
  isRejected: boolean,
  signal: AbortSignal,
): Promise<Authorization> {
  const authorization: Authorization = { headers: {}, secrets: [], isRenewable: false };
  const requirement = security.find((schemes) => schemes.every((name) => isAvailable(api, credentials, name)));
  if (requirement === undefined && security.length > 0)
    throw new UnsendableRequest(
      `${id} requires a credential of ${security.map((names) => names.join(" and ")).join(" or ")}.`,
    );
  const cookies: string[] = [];
  const queries: string[] = [];
  for (const name of requirement ?? []) {
    const credential = credentials[name];
    if (typeof credential === "function") authorization.isRenewable = true;
    const secret: Secret = typeof credential === "function" ? await credential({ isRejected, signal }) : credential!;
    const { headers, query, cookie } = api.schemes[name]!.apply(secret);
    Object.assign(authorization.headers, headers);
    if (query !== undefined) queries.push(query);
    if (cookie !== undefined) cookies.push(cookie);
    authorization.secrets.push(typeof secret === "object" ? secret.password : secret, ...Object.values(headers ?? {}));
  }
  if (queries.length > 0) authorization.query = queries.join("&");
  if (cookies.length > 0) authorization.cookie = cookies.join("; ");
  return authorization;
}

function isAvailable({ schemes }: Api, credentials: Credentials, name: string): boolean {
  return credentials[name] !== undefined || schemes[name]?.isOfConnection === true;
}
