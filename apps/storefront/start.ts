/** `pnpm storefront`: serves the page before the running service, or else before the mock. */
import { createServer } from "vite";
import { type Backend, findService, proxyTo, startMock } from "./backend.ts";

try {
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
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
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
