/** `pnpm storefront`: serves the page before the running service, or else before the mock. */
import { parseArgs } from "node:util";
import { createServer } from "vite";
import manifest from "./package.json" with { type: "json" };
import { type Backend, findService, proxyTo, startMock } from "./backend.ts";

const HELP = `Usage: storefront [options]

Serves the shop front before the running service, or else before the mock.

Options:
  --version   print the version
  -h, --help  print this text

The settings PETSTORE_URL and PETSTORE_KEY name another service:
  PETSTORE_URL=https://api.example.com/v1 PETSTORE_KEY=pst_live_… npx -y pnpm@12.21.0 storefront`;

try {
  const { help, version } = readArguments();
  if (help || version) console.log(help ? HELP : manifest.version);
  else await serve();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

/** Exits with 2 for an invalid argument. */
function readArguments(): { help?: boolean; version?: boolean } {
  try {
    return parseArgs({ options: { help: { type: "boolean", short: "h" }, version: { type: "boolean" } } }).values;
  } catch (error) {
    console.error(`error: ${(error as Error).message}\nAdd --help to see the usage.`);
    process.exit(2);
  }
}

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
