import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { nobody } from "@platform/test-support/postgres";

const isRoot = process.getuid?.() === 0;
const AS_ROOT = isRoot ? [] : ["sudo", "-n"];

/** The user of every program on a node, because PostgreSQL does not run as root. */
export const user = isRoot ? nobody() : { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 };

/** Returns why this machine cannot have such a network; undefined if it can. */
export function networkUnavailable(): string | undefined {
  try {
    using _ = new Network(1);
    return undefined;
  } catch (error) {
    return `no network namespaces here: ${(error as Error).message.trim().split("\n").at(-1)}`;
  }
}

/** Machines on one network, each in a network namespace of its own. This process reaches all of them. */
export class Network implements Disposable {
  readonly #name = `n${Math.random().toString(36).slice(2, 8)}`;
  readonly #prefix = `10.${200 + Math.floor(Math.random() * 50)}.${Math.floor(Math.random() * 250)}`;
  /** The addresses of the machines. */
  readonly addresses: readonly string[];
  readonly #dispose = (): void => this[Symbol.dispose]();

  constructor(machines: number) {
    this.addresses = Array.from({ length: machines }, (_, index) => `${this.#prefix}.${index + 1}`);
    process.once("exit", this.#dispose); // in case the tests end without disposing of it
    try {
      // The bridge has a namespace too, where no firewall of this machine applies.
      ip(`netns add ${this.#name}`);
      ip(`-n ${this.#name} link add bridge type bridge`);
      ip(`-n ${this.#name} link set bridge up`);
      ip(`link add ${this.#name} type veth peer name host netns ${this.#name}`);
      ip(`addr add ${this.#prefix}.254/24 dev ${this.#name}`);
      ip(`link set ${this.#name} up`);
      ip(`-n ${this.#name} link set host master bridge up`);
      this.addresses.forEach((address, index) => this.#connect(address, index));
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  /** Runs a program on a machine, without the rights of root. */
  spawn(machine: number, env: Record<string, string>, command: string[], stderr: number): ChildProcess {
    const rights = ["setpriv", `--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups", "--no-new-privs"];
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const words = [...AS_ROOT, "ip", "netns", "exec", this.#namespace(machine), ...rights, "env", ...variables];
    const [program, ...args] = [...words, ...command];
    return spawn(program!, args, { stdio: ["ignore", stderr, stderr], cwd: "/" });
  }

  /** Kills the programs on a machine by SIGKILL; all of them, or those of a name. */
  kill(machine: number, name?: string): void {
    for (;;) {
      const pids = ip(`netns pids ${this.#namespace(machine)}`)
        .split("\n")
        .filter(Boolean)
        .map(Number);
      const chosen = pids.filter((pid) => isRunning(pid, name));
      if (chosen.length === 0) return;
      for (const pid of chosen) killNow(pid);
    }
  }

  /** Drops every packet between a machine and the others. This process still reaches each. */
  cut(machine: number): void {
    this.#pairs(
      machine,
      (namespace, address) => `${namespace} replace ${address} lladdr 02:00:00:00:00:ff nud permanent`,
    );
  }

  /** Ends `cut`. */
  restore(machine: number): void {
    this.#pairs(machine, (namespace, address) => `${namespace} del ${address}`);
  }

  [Symbol.dispose](): void {
    process.off("exit", this.#dispose);
    const all = new Set(
      ip("netns list")
        .split("\n")
        .map((line) => line.split(" ")[0]!),
    );
    this.addresses.forEach((_, machine) => {
      if (!all.has(this.#namespace(machine))) return;
      this.kill(machine);
      ip(`netns del ${this.#namespace(machine)}`);
    });
    if (all.has(this.#name)) ip(`netns del ${this.#name}`);
  }

  #namespace(machine: number): string {
    return `${this.#name}-${machine + 1}`;
  }

  #connect(address: string, machine: number): void {
    const namespace = this.#namespace(machine);
    ip(`netns add ${namespace}`);
    ip(`-n ${namespace} link set lo up`);
    ip(`-n ${namespace} link add eth0 type veth peer name port${machine} netns ${this.#name}`);
    ip(`-n ${namespace} addr add ${address}/24 dev eth0`);
    ip(`-n ${namespace} link set eth0 up`);
    ip(`-n ${this.#name} link set port${machine} master bridge up`);
  }

  /** Changes the neighbours of a machine, and the machine as their neighbour. */
  #pairs(machine: number, change: (namespace: string, address: string) => string): void {
    for (const other of this.addresses.keys()) {
      if (other === machine) continue;
      for (const [one, two] of [
        [machine, other],
        [other, machine],
      ] as const) {
        const [namespace, ...words] = change(this.#namespace(one), this.addresses[two]!).split(" ");
        ip(`-n ${namespace} neigh ${words.join(" ")} dev eth0`);
      }
    }
  }
}

function ip(words: string): string {
  const [program, ...args] = [...AS_ROOT, "ip", ...words.split(" ")];
  return execFileSync(program!, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

function isRunning(pid: number, name: string | undefined): boolean {
  try {
    const [, command, state] = /\((.*)\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))!;
    return state !== "Z" && (name === undefined || command === name);
  } catch {
    return false;
  }
}

function killNow(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}
