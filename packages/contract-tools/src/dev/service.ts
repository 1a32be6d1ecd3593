import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

/** How long a new process may take until it serves, in milliseconds. */
const START_MS = 30_000;

/** How long a replaced process may take to finish its requests, in milliseconds: longer than its own SHUTDOWN_TIMEOUT. */
const REPLACED_MS = 15_000;

/** How long `restart` waits for the end of the replaced process, and `stop` for the end of each process, in milliseconds. */
const WAIT_MS = { restart: 1_000, stop: 5_000 };

/**
 * The service in a child process, which can be replaced while it serves. This process, the primary of a cluster, holds the
 * listening sockets, so that the old and the new process accept connections from the same queue and none is refused.
 */
export class Service {
  readonly #root: string;
  readonly #print: (line: string) => void;
  /** All processes that have not ended, from the oldest to the newest. */
  readonly #workers = new Set<Worker>();
  #serving: { worker: Worker; address: string } | undefined;

  /** The service of the checkout at `root`. Its log lines are passed to `print`. */
  constructor(root: string, print: (line: string) => void) {
    this.#root = root;
    this.#print = print;
  }

  /** The URL of the service; undefined if it is not running. */
  get address(): string | undefined {
    return this.#serving?.worker.isDead() === false ? this.#serving.address : undefined;
  }

  /**
   * Starts a new process, which takes over once it serves. Resolves with its URL once the previous process accepts no more
   * connections. Resolves with undefined if the new process ends, does not serve within 30 seconds, or does not serve before
   * `signal` aborts; the previous process then continues.
   */
  async restart(signal?: AbortSignal): Promise<string | undefined> {
    const worker = this.#start();
    const address = await addressOf(worker, signal, this.#print);
    if (address === undefined) {
      worker.process.kill("SIGKILL"); // it serves nobody, and may never read a message
      return undefined;
    }
    const replaced = [...this.#workers].filter((other) => other !== worker);
    this.#serving = { worker, address };
    const ended = Promise.all(replaced.map((other) => end(other, REPLACED_MS)));
    await Promise.race([ended, sleep(WAIT_MS.restart, undefined, { ref: false })]);
    return address;
  }

  /** Stops the service and resolves once all its processes have ended. After five seconds they are killed. */
  async stop(): Promise<void> {
    await Promise.all(Array.from(this.#workers, (worker) => end(worker, WAIT_MS.stop)));
  }

  #start(): Worker {
    cluster.schedulingPolicy = cluster.SCHED_NONE; // the processes accept connections themselves, even while this one is busy
    cluster.setupPrimary({
      exec: join(this.#root, "apps/server/bin/service.js"),
      args: ["serve"],
      execArgv: [],
      cwd: this.#root,
      stdio: ["ignore", "pipe", "inherit", "ipc"],
    });
    const compiled = join(this.#root, "node_modules/.cache/dev");
    const worker = cluster.fork({ SHUTDOWN_DELAY: "0", NODE_COMPILE_CACHE: compiled, ...process.env });
    this.#workers.add(worker);
    worker.once("exit", () => this.#workers.delete(worker));
    return worker;
  }
}

/** Resolves with the URL that the process prints once it listens; with undefined if it ends or takes too long. */
async function addressOf(
  worker: Worker,
  signal: AbortSignal | undefined,
  print: (line: string) => void,
): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const giveUp = (): void => resolve(undefined);
  worker.once("exit", giveUp);
  createInterface(worker.process.stdout!).on("line", (line) => {
    const address = / is listening on (\S+)$/.exec(line)?.[1];
    if (address !== undefined) resolve(address);
    else if (line.startsWith("{")) print(line); // log lines only, without the greeting
  });
  const timer = setTimeout(giveUp, START_MS);
  signal?.addEventListener("abort", giveUp);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", giveUp);
  }
}

/** Asks a process to finish its requests and end, and resolves once it has ended. After `timeoutMs` it is killed. */
async function end(worker: Worker, timeoutMs: number): Promise<void> {
  if (worker.isDead()) return;
  const exited = once(worker, "exit");
  worker.send("shutdown", () => {}); // a message rather than a signal, because Windows has no SIGTERM that a process can handle
  const killer = setTimeout(() => worker.process.kill("SIGKILL"), timeoutMs);
  await exited;
  clearTimeout(killer);
}
