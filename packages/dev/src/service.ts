import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** The service as a process of its own, which a new one can take the place of. */
export class Service {
  readonly #root: string;
  readonly #print: (line: string) => void;
  #child: ChildProcess | undefined;
  #address: string | undefined;

  /** The service of the checkout at `root`; what it logs is passed to `print`. */
  constructor(root: string, print: (line: string) => void) {
    this.#root = root;
    this.#print = print;
  }

  /** Where it listens; undefined when it does not run. */
  get address(): string | undefined {
    return this.#child?.exitCode === null && this.#child.signalCode === null ? this.#address : undefined;
  }

  /** Ends the one that runs, if any, and starts anew; gives the address, or undefined when it has ended by itself. */
  async restart(): Promise<string | undefined> {
    await this.stop();
    const child = spawn(process.execPath, [join(this.#root, "apps/server/bin/petstore.js"), "serve"], {
      cwd: this.#root,
      env: { SHUTDOWN_DELAY: "0", ...process.env },
      stdio: ["ignore", "pipe", "inherit", "ipc"], // by the channel it knows when this process is gone, however it ended
    });
    this.#child = child;
    const ended = once(child, "exit").then(() => undefined);
    const listening = new Promise<string>((done) => {
      createInterface(child.stdout!).on("line", (line) => {
        const address = / is listening on (\S+)$/.exec(line)?.[1];
        if (address !== undefined) done(address);
        else if (line.startsWith("{")) this.#print(line); // what it logs; its greeting is for those who start it alone
      });
    });
    this.#address = await Promise.race([listening, ended]);
    return this.#address;
  }

  /** Resolves once it has ended, at the latest after five seconds. */
  async stop(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    const killer = setTimeout(() => child.kill("SIGKILL"), 5_000);
    await ended;
    clearTimeout(killer);
  }
}
