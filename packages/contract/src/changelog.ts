/** The changes of each released version for clients, from `openapi/CHANGELOG.md`. */
export { default as changelog } from "./generated/changelog.json" with { type: "json" };
