/** `pnpm mock`: serves the contract from its examples, so that clients can be tried without the service. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import { bundle, CONTRACT_FILE } from "@platform/contract-tools/bundle";
import { basePathOf, createMock } from "./mock.ts";

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      host: { type: "string", default: "127.0.0.1" },
      port: { type: "string", default: "4010" },
    },
  });
  const document = await bundle(positionals[0] ?? CONTRACT_FILE);
  const server = createServer(createMock({ document, log: console.log }));
  server.once("error", fail);
  server.listen(Number(values.port), values.host, () => {
    const { port } = server.address() as AddressInfo;
    console.log(greeting(`http://${values.host}:${port}${basePathOf(document)}`));
  });
} catch (error) {
  fail(error);
}

function greeting(baseUrl: string): string {
  const curl = "curl -i -H 'Authorization: Bearer any-key'";
  return [
    `The mock is listening on ${baseUrl}`,
    "",
    "It accepts any key, responds with the examples of the contract, and stores the data it receives until it stops:",
    `  ${curl} ${baseUrl}/pets`,
    `  ${curl} -H 'Content-Type: application/json' -d '{"name":"Rex","categoryId":1}' ${baseUrl}/pets`,
    "",
    "`Prefer` chooses the response by its status or by the name of its example:",
    `  ${curl} -H 'Prefer: code=429' ${baseUrl}/pets`,
    `  ${curl} -H 'Prefer: example=empty' ${baseUrl}/pets`,
    "",
    "Ctrl+C stops it.",
    "",
  ].join("\n");
}

function fail(error: unknown): void {
  const { code, message } = error as NodeJS.ErrnoException;
  console.error(code === "EADDRINUSE" ? `${message}. Choose another port with --port.` : message);
  process.exitCode = 1;
}
