import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { isPosix } from "./machine.ts";

/** A service in a child process. */
export interface Program {
  child: ChildProcess;
  baseUrl: string;
  /** Everything it has printed. */
  output: () => string;
  /** Sends a signal, or on Windows the message `shutdown` instead of SIGTERM and SIGINT. Resolves with the exit code. */
  stop: (signal?: NodeJS.Signals) => Promise<number | null>;
}

/** Starts a service and resolves once it prints `listening on <URL>`. It is killed after the test. */
export async function startProgram(
  [command, ...args]: [command: string, ...args: string[]],
  { cwd, env }: { cwd?: string; env: NodeJS.ProcessEnv },
): Promise<Program> {
  const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe", isPosix ? "ignore" : "ipc"] });
  const ended = once(child, "close") as Promise<[number | null]>;
  const stop = async (signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> => {
    if (!isPosix && signal !== "SIGKILL") child.send("shutdown");
    else child.kill(signal);
    return (await ended)[0];
  };
  onTestFinished(async () => void (await stop("SIGKILL")));
  let output = "";
  const baseUrl = await new Promise<string>((done, failed) => {
    void ended.then(([code]) => failed(new Error(`exited with ${code}: ${output}`)));
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
        const address = /listening on (\S+)\n/.exec(output)?.[1];
        if (address !== undefined) done(address);
      });
    }
  });
  return { child, baseUrl, output: () => output, stop };
}

/** Returns the process ids of a service that have logged a request. */
export function answeringProcesses({ output }: Program): Set<number> {
  return new Set(Array.from(output().matchAll(/"pid":(\d+),.*"msg":"request completed"/g), ([, pid]) => Number(pid)));
}

/** Requests the metrics of a service. */
export async function metricsOf({ output }: Program): Promise<{ status: number; text: string }> {
  const response = await fetch(/Metrics are at (\S+)/.exec(output())![1]!);
  return { status: response.status, text: await response.text() };
}

/** Returns the value of a metric, by its name with labels; 0 if there is none. */
export async function sampleOf(program: Program, name: string): Promise<number> {
  const line = (await metricsOf(program)).text.split("\n").find((sample) => sample.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? 0);
}

/**
 * Opens a connection, sends `sent`, and does nothing more. Resolves once the service has received it: it responds to the request
 * that is sent before, in the same packet.
 */
export async function stuckClient({ baseUrl }: Program, sent: string): Promise<Socket> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true }).on("error", () => {});
  await once(socket, "connect");
  socket.write(`GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n${sent}`);
  await once(socket, "readable");
  const answer = String(socket.read());
  if (!answer.startsWith("HTTP/1.1 200 ")) throw new Error(`/healthz responded with ${answer}.`);
  return socket;
}
