import type { ChangeKind } from "./change-kind.ts";
import { COMBINED_SCHEMAS } from "./combined-schemas.ts";
import { DOCUMENTATION } from "./documentation.ts";
import { PARAMETERS } from "./parameters.ts";
import { PATHS } from "./paths.ts";
import { REQUEST_BODIES } from "./request-bodies.ts";
import { REQUEST_FIELDS } from "./request-fields.ts";
import { RESPONSE_FIELDS } from "./response-fields.ts";
import { RESPONSE_HEADERS } from "./response-headers.ts";
import { RESPONSES } from "./responses.ts";
import { SECURITY } from "./security.ts";
import { SERVERS } from "./servers.ts";
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
};
