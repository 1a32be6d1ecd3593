import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { withProgress } from "@openapi-operations/command-line";
import { Load } from "../measuring/process.ts";
import type { PeerDatabase } from "../peers/service/peer.ts";

/** The toolchains are often missing from PATH. */
const PATH = [process.env["PATH"], "/usr/local/go/bin", join(homedir(), ".cargo/bin")].join(delimiter);
const CACHE = join(import.meta.dirname, "../../../node_modules/.cache/peers");

/** The peers in other languages, by their folders: the command that builds each, and the program that it makes. */
const NATIVE = {
  go: { command: ["go", "build", "-o", join(CACHE, "go/peer")], program: join(CACHE, "go/peer") },
  rust: {
    command: ["cargo", "build", "--release", "--locked", "--target-dir", join(CACHE, "rust")],
    program: join(CACHE, "rust/release/peer"),
  },
} as const;

export type NativePeer = keyof typeof NATIVE;

/** Builds a peer with the toolchain of `path`. Prints the reason and returns false if it cannot be built. */
export async function buildNativePeer(name: NativePeer, path = PATH): Promise<boolean> {
  const [file, ...args] = NATIVE[name].command;
  const cwd = join(import.meta.dirname, "../peers/service", name);
  // cspell:ignore GOEXPERIMENT jsonv
  const env = { ...process.env, PATH: path, CGO_ENABLED: "1", GOEXPERIMENT: "jsonv2" };
  try {
    if (process.platform !== "linux") throw new Error("Its CPU time is read from /proc, which only Linux has.");
    await withProgress((report) => {
      report(`Building the peer in ${name}`);
      return promisify(execFile)(file, args, { cwd, env });
    });
    return true;
  } catch (error) {
    console.log(`Without the peer in ${name}: ${(error as Error).message.trim().split("\n").at(-1)}`);
    return false;
  }
}

/**
 * Starts the load generator in Rust, which is built with the peer, or returns undefined without a toolchain. The one in Node has
 * less capacity than the peers in other languages.
 */
export async function startNativeLoad(): Promise<Load | undefined> {
  if (await buildNativePeer("rust")) return new Load(join(CACHE, "rust/release/load"));
  console.log("The load generator in Node limits the fastest peers: see their idle time.");
  return undefined;
}

/** Starts a peer in another language, which ends with this process. Resolves with its port and process id. */
export async function startNativePeer(
  name: NativePeer,
  database: PeerDatabase,
): Promise<{ port: number; pid: number }> {
  const child = spawn(NATIVE[name].program, [database.path, database.synchronous], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  process.once("exit", () => child.kill("SIGKILL"));
  const [port] = (await once(createInterface(child.stdout), "line")) as [string];
  return { port: Number(port), pid: child.pid! };
}
