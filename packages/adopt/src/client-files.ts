import {
  effectiveSchema,
  type OpenApiDocument,
  type OperationEntry,
  propertiesOf,
  resolve,
  type ResponseObject,
  type Schema,
} from "openapi-document";
import { verifierOf } from "@platform/contract-tools/credentials";
import type { Names } from "./names.ts";
import type { Security } from "./security-files.ts";

/** Returns the configuration of the client's generator. */
export function clientConfig(
  document: OpenApiDocument,
  entries: OperationEntry[],
  { pascal }: Names,
  security: Security,
  basePath: string,
): object {
  const own = clientSecurity(security);
  const error = errorOf(document, entries);
  const depth = basePath.split("/").length - 1;
  return {
    contract: "../contract/src/generated/openapi.json",
    types: "../contract/src/generated/schema.ts",
    output: "src/generated",
    features: ["contract-check", "testing", "react-query"],
    importExtension: ".ts",
    name: pascal,
    ...(own !== undefined && { security: own }),
    ...(error !== undefined && { error }),
    ...(depth !== 1 && { publishedContract: `${"../".repeat(depth)}openapi.json` }),
  };
}

/** Returns the client's option for the only scheme, if it takes a string; several schemes have the option `credentials`. */
function clientSecurity({ schemes }: Security): Record<string, string> | undefined {
  const [only] = schemes.size === 1 ? schemes : [];
  const verifier = only && verifierOf(only[1]);
  return only !== undefined && (verifier === "apiKey" || verifier === "token") ? { [only[0]]: verifier } : undefined;
}

/** Returns the schema of most errors and its fields, if it has a code and a message that are strings. */
function errorOf(document: OpenApiDocument, entries: OperationEntry[]): object | undefined {
  const refs = entries.flatMap(({ operation }) =>
    Object.entries(operation.responses ?? {}).flatMap(([key, node]) => {
      if (!/^(?:[45]|default)/.test(key)) return [];
      const { content = {} } = resolve<ResponseObject>(document, node);
      return Object.entries(content).flatMap(([type, { schema }]) => (/json/.test(type) ? (schema?.$ref ?? []) : []));
    }),
  );
  const [most] = [...Map.groupBy(refs, (ref) => ref)].toSorted(([, one], [, other]) => other.length - one.length);
  const schema = /^#\/components\/schemas\/([\w.-]+)$/.exec(most?.[0] ?? "")?.[1];
  if (schema === undefined) return undefined;
  const fields = propertiesOf(effectiveSchema(document, { $ref: most![0] }));
  const find = (...names: string[]) =>
    names.find((name) => fields[name] !== undefined && isText(document, fields[name]));
  const [code, message] = [
    find("code", "error", "type", "errorCode", "error_code"),
    find("message", "detail", "title", "error_description", "description"),
  ];
  if (code === undefined || message === undefined || code === message) return undefined;
  return { schema, ...(code !== "code" && { code }), ...(message !== "message" && { message }) };
}

function isText(document: OpenApiDocument, node: Schema): boolean {
  return [effectiveSchema(document, node).type].flat().includes("string");
}

/** Returns the client's `README.md`, tests and `package.json` fields. */
export function clientFiles({ name, pascal, title }: Names, security: Security): Record<string, string> {
  const option = Object.values(clientSecurity(security) ?? {})[0];
  return {
    "packages/client/README.md": `# @${name}/client

The typed client of ${title}, for Node, browsers and wherever else \`fetch\` exists. It is generated from
[the contract](../../openapi/README.md) by [fetch-operations](../fetch-operations/README.md).

\`\`\`js
import { create${pascal}, servers } from "@${name}/client";

const client = create${pascal}({ baseUrl: servers[0](), ...credentials });
const result = await client.someOperation({ ...input });
if (result.ok) console.log(result.data);
else console.log(result.status, result.error);
\`\`\`

Each operation of the contract is a method. The compiler knows its parameters, and the body of each status.
[The guides of fetch-operations](../fetch-operations/README.md#documentation) describe calls, options, retries, pages, errors and tests.
\`fetch-operations.config.json\` has the settings of the generator.
`,
    "packages/client/test/contract.test.ts": `import { startService } from "@${name}/server/testing";
import { expect, test } from "vitest";
import { checkContract } from "../src/generated/contract-check.ts";
import { contract } from "../src/generated/contract.ts";
import { connect } from "../src/operations.ts";

test("the service publishes the contract of the client", async () => {
  await using service = await startService();
  const options: object = { baseUrl: service.baseUrl${option === undefined ? "" : `, ${option}: "any"`} }; // the contract is public
  const connection = connect(options as never);
  expect(await checkContract(connection)).toMatchObject({ client: contract, server: contract });
});
`,
  };
}
