import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { withProgress } from "@platform/command-line";
import type { PeerDatabase } from "../peers/service/peer.ts";

const CACHE = join(import.meta.dirname, "../../../node_modules/.cache/peers");

/** The folders of toolchains that are often missing from PATH. */
const PATH = [process.env["PATH"], "/usr/local/go/bin", join(homedir(), ".cargo/bin")].join(delimiter);

/** The peers in other languages: the command that builds each in its folder, and the program that it makes. */
const NATIVE = {
  go: { command: ["go", "build", "-o", join(CACHE, "go/"), "."], program: join(CACHE, "go/peer") },
  rust: {
    command: ["cargo", "build", "--release", "--locked", "--target-dir", join(CACHE, "rust")],
    program: join(CACHE, "rust/release/peer"),
  },
} as const;

export type NativeName = keyof typeof NATIVE;

/**
 * Builds the peers in other languages with the toolchains of `path`. Returns those that could be built, and prints why the others
 * could not.
 */
export async function buildNativePeers(path = PATH): Promise<NativeName[]> {
  if (process.platform !== "linux") {
    console.log("Without the peers in go and rust: their CPU time is read from /proc, which only Linux has.");
    return [];
  }
  const built: NativeName[] = [];
  for (const [name, { command }] of Object.entries(NATIVE) as [NativeName, (typeof NATIVE)[NativeName]][]) {
    const [file, ...args] = command;
    try {
      await withProgress((report) => {
        report(`Building the peer in ${name}`);
        return promisify(execFile)(file, args, {
          cwd: join(import.meta.dirname, "../peers/service", name),
          env: { ...process.env, PATH: path, CGO_ENABLED: "1" },
        });
      });
      built.push(name);
    } catch (error) {
      console.log(`Without the peer in ${name}: ${(error as Error).message.trim().split("\n").at(-1)}`);
    }
  }
  return built;
}

/** Starts a native peer, which ends with this process. Resolves with its port and process id. */
export async function startNative(name: NativeName, database: PeerDatabase): Promise<{ port: number; pid: number }> {
  const child = spawn(NATIVE[name].program, [database.path, database.synchronous], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  process.once("exit", () => child.kill("SIGKILL"));
  const [port] = (await once(createInterface(child.stdout), "line")) as [string];
  return { port: Number(port), pid: child.pid! };
}
