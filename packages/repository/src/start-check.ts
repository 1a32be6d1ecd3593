/** `node start-check.ts`: runs `pnpm start` as the README has it, waits until the service is ready, and ends it. */
import { spawn } from "node:child_process";
import { once } from "node:events";

/** How long a first start may take, with the downloads of an install. */
const LIMIT_MS = 600_000;

const command = "npx -y pnpm@12.21.0 start";
const child = spawn(command, {
  shell: true,
  detached: process.platform !== "win32",
  stdio: ["ignore", "pipe", "inherit"],
});
const timer = setTimeout(() => fail(`\`${command}\` printed no address in ${LIMIT_MS / 1_000} s.`), LIMIT_MS);
child.once("exit", (code) => fail(`\`${command}\` ended with ${code}.`));

let output = "";
for await (const chunk of child.stdout.setEncoding("utf8") as AsyncIterable<string>) {
  process.stdout.write(chunk);
  output += chunk;
  const [, address] = /listening on (\S+)\n/.exec(output) ?? [];
  if (address !== undefined) await check(new URL("/readyz", address));
}

async function check(address: URL): Promise<never> {
  const { status } = await fetch(address);
  if (status !== 200) fail(`${address.href} responded with ${status}.`);
  clearTimeout(timer);
  child.removeAllListeners("exit");
  end();
  await once(child, "exit");
  process.exit(0);
}

function fail(reason: string): never {
  console.error(reason);
  end();
  process.exit(1);
}

/** Ends the shell and all that it started. */
function end(): void {
  if (child.pid === undefined || child.exitCode !== null) return;
  if (process.platform === "win32") spawn("taskkill", ["/pid", String(child.pid), "/t", "/f"]);
  else process.kill(-child.pid, "SIGTERM");
}
