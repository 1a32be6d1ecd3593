import type { Resource } from "@openapi-operations/storage/registration";
import { specialExhibitsHandlers } from "./special-exhibits.handlers.ts";

/** The handlers and tables of the operations tagged Special exhibits. */
export const specialExhibits: Resource<typeof specialExhibitsHandlers> = {
  handlers: specialExhibitsHandlers,
  tables: {},
};
