import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const PETSTORE = fileURLToPath(new URL("../bin/petstore.js", import.meta.url));

/** A petstore in a process of its own, on a free port. */
export interface PetstoreProcess extends AsyncDisposable {
  baseUrl: string;
  /** Resolves once it has ended. */
  end: (signal: NodeJS.Signals) => Promise<void>;
}

/** Starts the program as in production, and waits for the address that it prints. */
export async function startProcess(databaseUrl: string): Promise<PetstoreProcess> {
  const child = spawn(process.execPath, [PETSTORE], {
    env: { PATH: process.env["PATH"], PORT: "0", DATABASE_URL: databaseUrl, PETSTORE_ENV: "production" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  };
  return { baseUrl: await addressOf(child), end, [Symbol.asyncDispose]: () => end("SIGKILL") };
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((done, failed) => {
    child.once("exit", (code) => failed(new Error(`the petstore exited with ${code}`)));
    createInterface(child.stdout!).on("line", (line) => {
      const address = /listening on (\S+)$/.exec(line)?.[1];
      if (address !== undefined) done(address);
    });
  });
}
