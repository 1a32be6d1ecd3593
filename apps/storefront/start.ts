/** `pnpm storefront`: serves the page against the running service, or else against the mock. */
import { createProgram, PNPM, runProgram } from "@openapi-operations/command-line";
import { createServer } from "vite";
import { type Backend, findService, proxyTo, startMock } from "./backend.ts";

const program = createProgram("storefront", {
  description: "Serves the shop front against the running service, or else against the mock.",
  folder: import.meta.dirname,
  examples: [
    `${PNPM} storefront`,
    `PETSTORE_URL=https://api.example.com/v1 PETSTORE_KEY=pst_live_… ${PNPM} storefront`,
  ],
}).action(serve);

await runProgram(program);

async function serve(): Promise<void> {
  const backend = await chooseBackend();
  const server = await createServer({
    root: import.meta.dirname,
    logLevel: "warn",
    clearScreen: false,
    server: { host: "127.0.0.1", proxy: proxyTo(backend) },
  });
  await server.listen();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit());
  console.log(`The shop front is at ${server.resolvedUrls!.local[0]}\nCtrl+C stops it.`);
}

async function chooseBackend(): Promise<Backend> {
  const found = await findService(process.env);
  if (typeof found !== "string") {
    console.log(`It calls the service at ${found.baseUrl}.`);
    return found;
  }
  if (process.env["PETSTORE_URL"] !== undefined) throw new Error(`${found} Correct PETSTORE_URL or PETSTORE_KEY.`);
  const mock = await startMock();
  console.log(`${found} It calls the mock at ${mock.baseUrl}; run \`start\` first to use the service.`);
  return mock;
}
