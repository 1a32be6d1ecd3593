import { type OpenApiDocument, operationsOf } from "openapi-document";
import { type ClientSettings, clientProgram, snakeCase } from "./client-call.ts";
import { curlExample } from "./curl-examples.ts";

/** A sample for the extension `x-codeSamples`. */
export interface CodeSample {
  lang: string;
  label: string;
  source: string;
}

/**
 * Returns samples that call each operation, by method and path: first with the client, then with curl. Operations without an
 * example of a required value have none, and without a client there is curl alone. The environment has the address and the credentials.
 */
export function codeSamples(
  document: OpenApiDocument,
  client: ClientSettings | undefined,
): Record<string, CodeSample[]> {
  const prefix = client === undefined ? "API" : snakeCase(client.name);
  const samples = operationsOf(document).map((entry): [string, CodeSample[]] => {
    const call = client && clientProgram(document, entry, client);
    const curl = curlExample(document, entry);
    return [
      `${entry.method.toUpperCase()} ${entry.path}`,
      [
        ...(call === undefined ? [] : [{ lang: "typescript", label: client!.package, source: call }]),
        ...(curl === undefined ? [] : [{ lang: "shell", label: "curl", source: withVariables(curl, prefix) }]),
      ],
    ];
  });
  return Object.fromEntries(samples.filter(([, own]) => own.length > 0));
}

function withVariables(curl: string, prefix: string): string {
  return curl
    .replaceAll("{url}", `$${prefix}_URL`)
    .replaceAll("{key}", `$${prefix}_KEY`)
    .replaceAll("$TOKEN", `$${prefix}_TOKEN`);
}
