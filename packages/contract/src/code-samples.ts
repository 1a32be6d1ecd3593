/** Samples that call each operation, by method and path: first with the client, then with curl. */
export { default as codeSamples } from "./generated/code-samples.json" with { type: "json" };
