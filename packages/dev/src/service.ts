import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** The service in a child process, which can be restarted. */
export class Service {
  readonly #root: string;
  readonly #print: (line: string) => void;
  #child: ChildProcess | undefined;
  #address: string | undefined;

  /** The service of the checkout at `root`. Its log lines are passed to `print`. */
  constructor(root: string, print: (line: string) => void) {
    this.#root = root;
    this.#print = print;
  }

  /** The URL of the service; undefined if it is not running. */
  get address(): string | undefined {
    return this.#child?.exitCode === null && this.#child.signalCode === null ? this.#address : undefined;
  }

  /** Stops a running service and starts a new one. Resolves with its URL, or undefined if it has ended by itself. */
  async restart(): Promise<string | undefined> {
    await this.stop();
    const child = spawn(process.execPath, [join(this.#root, "apps/server/bin/service.js"), "serve"], {
      cwd: this.#root,
      env: { SHUTDOWN_DELAY: "0", ...process.env },
      stdio: ["ignore", "pipe", "inherit", "ipc"], // the channel closes when this process ends, however it ends
    });
    this.#child = child;
    const ended = once(child, "exit").then(() => undefined);
    const listening = new Promise<string>((done) => {
      createInterface(child.stdout!).on("line", (line) => {
        const address = / is listening on (\S+)$/.exec(line)?.[1];
        if (address !== undefined) done(address);
        else if (line.startsWith("{")) this.#print(line); // log lines only, without the greeting
      });
    });
    this.#address = await Promise.race([listening, ended]);
    return this.#address;
  }

  /** Stops the service and resolves once it has ended. After five seconds it is killed. */
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
