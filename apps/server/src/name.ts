import { nameService } from "@openapi-operations/command-line/name";

/** The names of the service. Files that read one import it from here, so that the service has its name by then. */
export const SERVICE = nameService({ name: "petstore", keyPrefix: "pst" });
