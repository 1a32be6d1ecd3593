import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { cloneEnvironment, cloneRepository } from "@platform/test-support/clone";
import { type Dev, devOf } from "@platform/test-support/dev";
import { applied, type Block } from "./tutorial.ts";

/** A reader who follows a tutorial in a new clone without dependencies, on the machine's own Node. */
export class Reader implements AsyncDisposable {
  readonly #clone = cloneRepository();
  readonly #terminal: NodeJS.ProcessEnv;
  #loop: Dev | undefined;
  #output = "";
  /** The files saved since the last report. */
  readonly #saved = new Set<string>();

  /** The service uses the database of the URL, or its own file. The cloned commit is `origin/main`. */
  constructor(databaseUrl?: string) {
    this.#terminal = { ...cloneEnvironment(), ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }) };
    for (const words of ["config user.name reader", "config user.email reader@localhost"]) this.#git(words);
    this.#git("update-ref refs/remotes/origin/main HEAD");
  }

  /** Runs commands and edits files, in order. Edits without a command between them are one. */
  async act(actions: Block[]): Promise<void> {
    let edits: Block[] = [];
    for (const action of actions) {
      if (action.language !== "sh") {
        edits.push(action);
        continue;
      }
      this.#edit(edits);
      edits = [];
      if (action.subject === "loop") await this.#startLoop(action.text);
      else await this.#command(action);
    }
    this.#edit(edits);
  }

  /** The output of the last command, or the report of the loop on the last save. */
  async see({ subject }: Block): Promise<string> {
    return subject === "loop" ? this.#lastReport() : this.#output;
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

  /** Returns the first report after which each saved file has been reported. On a busy machine, a report may have only some. */
  async #lastReport(): Promise<string> {
    for (;;) {
      const report = await this.#loop!.report();
      const [, files = ""] = /^\d\d:\d\d:\d\d {2}(.*)$/m.exec(report) ?? [];
      for (const file of files.split(", ")) this.#saved.delete(file);
      if (this.#saved.size === 0) return report;
    }
  }

  async #startLoop(command: string): Promise<void> {
    await this.#loop?.interrupt();
    this.#saved.clear();
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

  /** Runs a command. `scaffold` names the files that it writes. */
  async #command({ text, subject }: Block): Promise<void> {
    this.#output = await this.run(text, subject === "fails");
    for (const [, file] of this.#output.matchAll(/^wrote (\S+)$/gm)) this.#saved.add(file!);
  }

  /** Applies blocks to files. Each file is replaced once and atomically, so that the loop sees all of its blocks or none. */
  #edit(blocks: Block[]): void {
    for (const [subject, edits] of Map.groupBy(blocks, (block) => block.subject!)) {
      const file = join(this.#clone.directory, subject);
      const before = existsSync(file) ? readFileSync(file, "utf8") : "";
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(
        `${file}~`,
        edits.reduce((text, block) => applied(block, text), before),
      );
      renameSync(`${file}~`, file);
      this.#saved.add(subject);
    }
  }

  #git(words: string): void {
    execFileSync("git", ["-C", this.#clone.directory, ...words.split(" ")]);
  }
}
