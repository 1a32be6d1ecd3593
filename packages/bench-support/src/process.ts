import { type ChildProcess, type Serializable, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";

/** Whether processes can be kept apart: servers on one core, the load on another. */
export const canPin = availableParallelism() > 1 && spawnSync("taskset", ["--version"]).status === 0;

/** A module in a process of its own, pinned to a core if so asked and possible. It ends when disposed. */
export class Process implements Disposable {
  readonly #child: ChildProcess;

  /** `flags` are Node's. */
  constructor(core: 0 | 1 | undefined, module: URL, args: string[] = [], flags: string[] = []) {
    const command = [process.execPath, "--expose-gc", ...flags, fileURLToPath(module), ...args];
    const [file = "", ...rest] = canPin && core !== undefined ? ["taskset", "-c", String(core), ...command] : command;
    this.#child = spawn(file, rest, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  }

  /** The next thing that the process says; rejects when it ends instead, or says nothing for a minute. */
  async next<Answer>(): Promise<Answer> {
    const said = new AbortController();
    const ended = once(this.#child, "exit", { signal: said.signal }).then(() => {
      throw new Error(`A process of the benchmark ended: ${this.#child.spawnargs.slice(-3).join(" ")}`);
    });
    try {
      const signal = AbortSignal.any([said.signal, AbortSignal.timeout(60_000)]);
      const [value] = (await Promise.race([once(this.#child, "message", { signal }), ended])) as [Answer];
      return value;
    } finally {
      said.abort();
      ended.catch(() => {});
    }
  }

  /** Sends a message and waits for its answer. */
  ask<Answer>(message: Serializable): Promise<Answer> {
    const answer = this.next<Answer>();
    this.#child.send(message);
    return answer;
  }

  [Symbol.dispose](): void {
    this.#child.kill();
  }
}

/** Starts the process that makes the load, on the other core than servers: see `Slice`. */
export function startLoad(): Process {
  return new Process(1, new URL("load.ts", import.meta.url));
}
