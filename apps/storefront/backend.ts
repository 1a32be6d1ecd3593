import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import type { IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import type { ProxyOptions } from "vite";

const ROOT = join(import.meta.dirname, "../..");
const MOCK = join(ROOT, "packages/contract-tools/src/mock/main.ts");
const KEY_FILE = join(ROOT, "data/quickstart.key");

/** How long a service may take to respond, in milliseconds. */
const PROBE_MS = 2_000;

/** The API that the page calls. */
export interface Backend {
  /** With the path of its version, such as `http://127.0.0.1:3000/v1`. */
  baseUrl: string;
  apiKey: string;
}

/**
 * Passes `/v1` on to the API. The API key is added here, so that the browser never has it. Requests from pages of other origins
 * get 404, because they would otherwise use the key.
 */
export function proxyTo({ baseUrl, apiKey }: Backend): Record<string, ProxyOptions> {
  const { origin, pathname } = new URL(baseUrl);
  return {
    "^/v1(?=[/?]|$)": {
      target: origin,
      changeOrigin: true,
      rewrite: (path) => pathname.replace(/\/$/, "") + path.slice("/v1".length),
      bypass: ({ headers }) => (isFromOwnPage(headers) ? undefined : false),
      headers: { authorization: `Bearer ${apiKey}` },
    },
  };
}

/** Browsers send `Sec-Fetch-Site` with each request, and `Origin` with each that another origin could read or that writes. */
function isFromOwnPage({ host, origin, "sec-fetch-site": site = "none" }: IncomingHttpHeaders): boolean {
  const isOwn = origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
  return isOwn && ["same-origin", "none"].includes(site);
}

/**
 * Returns the running service, or why there is none: that of `start` at `PORT` with its quickstart key, unless `PETSTORE_URL` and
 * `PETSTORE_KEY` name another.
 */
export async function findService(environment: NodeJS.ProcessEnv): Promise<Backend | string> {
  const baseUrl = environment["PETSTORE_URL"] ?? `http://127.0.0.1:${environment["PORT"] ?? 3000}/v1`;
  const apiKey = environment["PETSTORE_KEY"] ?? (await readFile(KEY_FILE, "utf8").catch(() => "")).trim();
  if (!URL.canParse(baseUrl)) return `PETSTORE_URL is not a URL: ${baseUrl}.`;
  try {
    const headers = { Authorization: `Bearer ${apiKey}` };
    const { status } = await fetch(`${baseUrl}/pets?limit=1`, { headers, signal: AbortSignal.timeout(PROBE_MS) });
    return status === 200 ? { baseUrl, apiKey } : `The service at ${baseUrl} responds with ${status}.`;
  } catch {
    return `No service responds at ${baseUrl}.`;
  }
}

/** Starts the mock on a free port. It accepts any key, and stops with this process. */
export async function startMock(): Promise<Backend & { stop: () => void }> {
  const child = spawn(process.execPath, [MOCK, "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  const stop = () => void child.kill();
  process.once("exit", stop);
  let output = "";
  const baseUrl = await new Promise<string>((done, failed) => {
    child.once("error", failed);
    child.once("exit", (code) => failed(new Error(`The mock exited with ${code}.`)));
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      const address = /listening on (\S+)\n/.exec(output)?.[1];
      if (address !== undefined) done(address);
    });
  });
  return { baseUrl, apiKey: "any", stop };
}
