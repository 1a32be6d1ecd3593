import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { withProgress } from "@openapi-operations/command-line";
import type { PeerDatabase } from "../peers/service/peer.ts";

/** Cargo is often missing from PATH. */
const PATH = [process.env["PATH"], join(homedir(), ".cargo/bin")].join(delimiter);
const TARGET = join(import.meta.dirname, "../../../node_modules/.cache/peers/rust");

/** Builds the peer in Rust with the toolchain of `path`. Prints the reason and returns false if it cannot be built. */
export async function buildRustPeer(path = PATH): Promise<boolean> {
  if (process.platform !== "linux") {
    console.log("Without the peer in Rust: its CPU time is read from /proc, which only Linux has.");
    return false;
  }
  try {
    await withProgress((report) => {
      report("Building the peer in Rust");
      return promisify(execFile)("cargo", ["build", "--release", "--locked", "--target-dir", TARGET], {
        cwd: join(import.meta.dirname, "../peers/service/rust"),
        env: { ...process.env, PATH: path },
      });
    });
    return true;
  } catch (error) {
    console.log(`Without the peer in Rust: ${(error as Error).message.trim().split("\n").at(-1)}`);
    return false;
  }
}

/** Starts the peer in Rust, which ends with this process. Resolves with its port and process id. */
export async function startRustPeer(database: PeerDatabase): Promise<{ port: number; pid: number }> {
  const child = spawn(join(TARGET, "release/peer"), [database.path, database.synchronous], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  process.once("exit", () => child.kill("SIGKILL"));
  const [port] = (await once(createInterface(child.stdout), "line")) as [string];
  return { port: Number(port), pid: child.pid! };
}
