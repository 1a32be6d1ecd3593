import { fork } from "node:child_process";
import { once } from "node:events";
import { Agent } from "node:http";
import { text } from "node:stream/consumers";
import { needsPosix } from "@platform/test-support/machine";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { post, testShutdown } from "./shutdown.ts";
import { environment, pathOf, startProgram } from "./things-program.ts";

describe("a service of one process", () => {
  testShutdown(1);
});

describe("SIGTERM", () => {
  beforeEach((context) => needsPosix(context, "signals that a program can handle"));

  test("fails /readyz first, and still accepts connections, each for one response", async () => {
    const program = await startProgram({ SHUTDOWN_DELAY: "300" });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect((await post(program, agent)).headers.connection).toBe("keep-alive");
    program.child.kill("SIGTERM");
    const readyz = new URL("/readyz", program.baseUrl);
    await expect.poll(async () => (await fetch(readyz)).status).toBe(503);
    expect(await (await fetch(readyz)).json()).toMatchObject({ code: "unavailable" });
    for (const _ of ["the connection from before", "a new one"]) {
      const { statusCode, headers } = await post(program, agent);
      expect({ statusCode, connection: headers.connection }).toEqual({ statusCode: 201, connection: "close" });
    }
    agent.destroy();
    expect(await program.stop("SIGTERM")).toBe(128 + 15); // the second signal ends the process at once
  });

  test("ends the service though nobody reads its log", async () => {
    const program = await startProgram({});
    const { child } = program;
    child.stdout!.pause();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let count = 0; count < 900; count++) await post(program, agent); // more than the pipe holds
    agent.destroy();
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
    child.stdout!.resume();
  });
});

test("the service ends if the channel to the parent process was closed before it listens", async () => {
  const execArgv = ["--import", "data:text/javascript,process.disconnect()"];
  const child = fork(pathOf("things"), {
    env: environment({}),
    execArgv,
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const output = text(child.stdout!);
  expect((await once(child, "exit"))[0]).toBe(0);
  expect(await output).toContain('"parent":"ended","msg":"stopped"');
});
