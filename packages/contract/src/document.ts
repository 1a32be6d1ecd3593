/** The contract as data: `openapi/openapi.yaml`, bundled. */
export { default as document } from "./generated/openapi.json" with { type: "json" };
