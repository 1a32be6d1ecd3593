import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { cloneEnvironment, cloneRepository } from "@platform/test-support/clone";
import { type Dev, devOf } from "./start.ts";
import { applied, type Block } from "./tutorial.ts";

/** A reader who follows a tutorial in a new clone without dependencies, on the machine's own Node. */
export class Reader implements AsyncDisposable {
  readonly #clone = cloneRepository();
  readonly #terminal: NodeJS.ProcessEnv;
  #loop: Dev | undefined;
  #output = "";

  /** The service uses the database of the URL, or its own file. The cloned commit is `origin/main`. */
  constructor(databaseUrl?: string) {
    this.#terminal = { ...cloneEnvironment(), ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }) };
    for (const words of ["config user.name reader", "config user.email reader@localhost"]) this.#git(words);
    this.#git("update-ref refs/remotes/origin/main HEAD");
  }

  /** Runs a command or edits a file. */
  async act(action: Block): Promise<void> {
    if (action.language !== "sh") this.#edit(action);
    else if (action.subject === "loop") await this.#startLoop(action.text);
    else this.#output = await this.run(action.text, action.subject === "fails");
  }

  /** The output of the last command, or the next report of the loop. */
  async see({ subject }: Block): Promise<string> {
    return subject === "loop" ? this.#loop!.report() : this.#output;
  }

  /** Runs commands and returns their output. Throws if one fails, or if one that must fail succeeds. */
  async run(commands: string, hasToFail = false): Promise<string> {
    const options = {
      cwd: this.#clone.directory,
      env: { ...this.#terminal, NO_COLOR: "1", PETSTORE_URL: this.#loop?.address(), GITHUB_BASE_REF: "main" },
      maxBuffer: 2 ** 26,
    };
    const { code, stdout, stderr } = await promisify(execFile)(
      "bash",
      ["--norc", "-euo", "pipefail", "-c", commands],
      options,
    ).then(
      (printed) => ({ code: 0, ...printed }),
      (error: { code: number; stdout: string; stderr: string }) => error,
    );
    if ((code === 0) === hasToFail) throw new Error(`${commands}\nended with ${code}:\n${stdout}${stderr}`);
    return stdout + stderr;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop?.interrupt();
    this.#clone[Symbol.dispose]();
  }

  async #startLoop(command: string): Promise<void> {
    await this.#loop?.interrupt();
    const child = spawn("bash", ["-c", command], {
      cwd: this.#clone.directory,
      env: { ...this.#terminal, PORT: "0", LOG_LEVEL: "silent" },
      stdio: ["ignore", "pipe", "inherit"],
      detached: true, // as in a terminal, where Ctrl+C reaches every process
    });
    const closed = once(child, "close");
    const dev = devOf(child, (signal) => process.kill(-child.pid!, signal));
    this.#loop = { ...dev, interrupt: async (signal) => (await Promise.all([dev.interrupt(signal), closed]))[0] };
  }

  #edit(block: Block): void {
    const file = join(this.#clone.directory, block.subject!);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, applied(block, existsSync(file) ? readFileSync(file, "utf8") : ""));
  }

  #git(words: string): void {
    execFileSync("git", ["-C", this.#clone.directory, ...words.split(" ")]);
  }
}
