import type { ChangeKind } from "./change-kind.ts";
import { COMBINED_SCHEMAS, DOCUMENTATION } from "./schemas.ts";
import { NOTATIONS } from "./notations.ts";
import { PARAMETERS } from "./parameters.ts";
import { PATHS } from "./paths.ts";
import { REQUEST_BODIES, REQUEST_FIELDS } from "./requests.ts";
import { RESPONSE_FIELDS, RESPONSE_HEADERS, RESPONSES } from "./responses.ts";
import { SECURITY, SERVERS } from "./access.ts";
import { VALUES } from "./values.ts";

/** Every kind of change to a contract, separate for requests and responses if the direction matters. */
export const CHANGE_KINDS: Record<string, ChangeKind> = {
  ...PATHS,
  ...DOCUMENTATION,
  ...PARAMETERS,
  ...REQUEST_BODIES,
  ...REQUEST_FIELDS,
  ...RESPONSE_FIELDS,
  ...VALUES,
  ...COMBINED_SCHEMAS,
  ...RESPONSES,
  ...RESPONSE_HEADERS,
  ...SECURITY,
  ...SERVERS,
  ...NOTATIONS,
};
