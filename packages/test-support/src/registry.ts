import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { publishedPackages } from "./published.ts";

/** A registry of npm packages on this machine, with what a test publishes there. Disposing ends and removes it. */
export interface Registry extends AsyncDisposable {
  url: string;
  /** Publishes a tarball, as the release workflow does. */
  publish: (tarball: string) => Promise<void>;
}

/** Starts a registry without packages of this repository. All others come from the registry that npm is configured with. */
export async function startRegistry(): Promise<Registry> {
  const folder = await mkdtemp(join(tmpdir(), "registry-"));
  const file = join(folder, "config.yaml");
  await writeFile(file, JSON.stringify(await configuration(folder))); // JSON is YAML
  const server = spawn(process.execPath, [join(import.meta.dirname, "registry-server.ts"), file], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(server, "exit");
  const url = await new Promise<string>((done, failed) => {
    createInterface(server.stdout).on("line", (line) => {
      const address = /^listening on (\S+)$/.exec(line)?.[1];
      if (address !== undefined) done(address);
    });
    void ended.then(([code]) => failed(new Error(`Verdaccio has ended with ${code}.`)));
  });
  const npmrc = join(folder, "npmrc");
  await writeFile(npmrc, `registry=${url}/\n${url.replace("http:", "")}/:_authToken=any\n`); // npm publishes with a token alone
  return {
    url,
    publish: async (tarball) => {
      const args = ["publish", tarball, "--userconfig", npmrc, "--registry", url, "--access", "public"];
      await run("npm", [...args, "--provenance=false", "--ignore-scripts"], { cwd: folder });
    },
    [Symbol.asyncDispose]: async () => {
      server.kill();
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}

const run = promisify(execFile);

async function configuration(folder: string): Promise<object> {
  const { stdout } = await run("npm", ["config", "get", "registry"], { cwd: folder });
  const own = publishedPackages().map(({ name }) => [name, { access: "$all", publish: "$all" }]);
  return {
    storage: join(folder, "storage"),
    auth: { htpasswd: { file: join(folder, "htpasswd") } },
    uplinks: { configured: { url: stdout.trim(), maxage: "1h" } },
    packages: { ...Object.fromEntries(own), "**": { access: "$all", proxy: "configured" } },
    web: { enable: false },
    log: { type: "stdout", level: "warn" },
  };
}
