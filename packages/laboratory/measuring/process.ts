import { type ChildProcess, type Serializable, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { withProgress } from "@openapi-operations/command-line";
import type { LoadResult, Slice } from "./load.ts";

/** Whether processes can be pinned: servers to one core, the load to another. */
export const canPin = availableParallelism() > 1 && spawnSync("taskset", ["--version"]).status === 0;

/** A child process, pinned to a core if requested and possible. Disposing ends it. */
export class Process implements Disposable {
  readonly #child: ChildProcess;

  /** Runs a module, or the program of a path. `flags` are options of Node. */
  constructor(core: 0 | 1 | undefined, code: URL | string, args: string[] = [], flags: string[] = []) {
    const node = (module: URL) => [process.execPath, "--expose-gc", ...flags, fileURLToPath(module)];
    const command = [...(code instanceof URL ? node(code) : [code]), ...args];
    const [file = "", ...rest] = canPin && core !== undefined ? ["taskset", "-c", String(core), ...command] : command;
    this.#child = spawn(file, rest, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  }

  /** Resolves with the next message of the process. Rejects if it ends, or sends nothing for a minute, which ends it. */
  async next<Answer>(): Promise<Answer> {
    const said = new AbortController();
    const ended = once(this.#child, "exit", { signal: said.signal }).then(() => {
      throw new Error(`A process of the benchmark ended: ${this.#child.spawnargs.slice(-3).join(" ")}`);
    });
    try {
      const signal = AbortSignal.any([said.signal, AbortSignal.timeout(60_000)]);
      const [value] = (await Promise.race([once(this.#child, "message", { signal }), ended])) as [Answer];
      return value;
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    } finally {
      said.abort();
      ended.catch(() => {});
    }
  }

  /** Sends a message and resolves with the reply. */
  ask<Answer>(message: Serializable): Promise<Answer> {
    const answer = this.next<Answer>();
    this.#child.send(message);
    return answer;
  }

  [Symbol.dispose](): void {
    this.#child.kill();
  }
}

/** The process that creates the load, on another core than the servers: `load.ts`, or a program with the same messages. */
export class Load extends Process {
  constructor(code: URL | string = new URL("load.ts", import.meta.url)) {
    super(1, code);
  }

  /** Loads a server, and returns the result with what each of the meters has counted meanwhile. */
  async run(slice: Slice, ...meters: (() => Promise<number>)[]): Promise<LoadResult & { used: number[] }> {
    await this.ask({ ...slice });
    const before = await Promise.all(meters.map((read) => read()));
    const result = await this.ask<LoadResult>("go");
    const after = await Promise.all(meters.map((read) => read()));
    return { ...result, used: after.map((count, at) => count - before[at]!) };
  }
}

/** Starts the process that creates load at a rate (see `OpenLoad`), on another core than the servers. */
export function startOpenLoad(): Process {
  return new Process(1, new URL("open-load.ts", import.meta.url));
}

/**
 * Measures entrants in turn, for some rounds after a first that does not count (`isCounted` is false). Each round begins with
 * another entrant.
 */
export async function inTurns<Entrant>(
  title: string,
  rounds: number,
  entrants: Entrant[],
  measure: (entrant: Entrant, isCounted: boolean) => Promise<void>,
): Promise<void> {
  const total = (rounds + 1) * entrants.length;
  await withProgress(async (report) => {
    for (let turn = 0; turn < total; turn++) {
      report(title, { done: turn, total, unit: "turns" });
      const round = Math.floor(turn / entrants.length);
      await measure(entrants[(turn + round) % entrants.length]!, round > 0);
    }
  });
}
