/** The contract as data: the bundled `openapi/openapi.yaml`. */
export { default as document } from "./generated/openapi.json" with { type: "json" };
