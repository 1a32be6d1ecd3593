import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const ENTRY = fileURLToPath(new URL("../bin/petstore.js", import.meta.url));

describe("serve", () => {
  let directory: string;
  beforeEach(async () => void (directory = await mkdtemp(join(tmpdir(), "petstore-"))));
  afterEach(() => rm(directory, { recursive: true }));

  /** Starts the program as a person would, in an empty directory, and waits for the address it prints. */
  async function serve(
    env: NodeJS.ProcessEnv = {},
  ): Promise<{ child: ChildProcess; baseUrl: string; output: () => string }> {
    const child = spawn(process.execPath, [ENTRY], {
      cwd: directory,
      env: { PATH: process.env["PATH"], PORT: "0", ...env },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    const lines = createInterface(child.stdout);
    return new Promise((done, failed) => {
      child.once("exit", (code) => failed(new Error(`exited with ${code}`)));
      lines.on("line", (line) => {
        output += `${line}\n`;
        const baseUrl = /listening on (\S+)$/.exec(line)?.[1];
        if (baseUrl !== undefined) done({ child, baseUrl, output: () => output });
      });
    });
  }

  async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
    const exited = once(child, "exit") as Promise<[number | null]>;
    child.kill(signal);
    return (await exited)[0];
  }

  const keyFile = () => join(directory, "data", "quickstart.key");
  const authorization = async () => `Bearer ${(await readFile(keyFile(), "utf8")).trim()}`;

  test.each(["SIGTERM", "SIGINT"] as const)(
    "%s ends it with 0, and after a new start every animal is there",
    async (signal) => {
      const first = await serve();
      const headers = { Authorization: await authorization(), "Content-Type": "application/json" };
      const created = await fetch(`${first.baseUrl}/pets`, {
        method: "POST",
        headers,
        body: '{"name":"Rex","categoryId":1}',
      });
      const pet: unknown = await created.json();
      expect(await stop(first.child, signal)).toBe(0);

      const second = await serve();
      expect(await (await fetch(`${second.baseUrl}/pets`, { headers })).json()).toEqual([pet]);
      expect(await stop(second.child, signal)).toBe(0);
    },
  );

  test("prints how to try it, never the key, and keeps the key to its owner", async () => {
    const { child, output, baseUrl } = await serve();
    const key = (await authorization()).slice("Bearer ".length);
    await fetch(`${baseUrl}/pets`, { headers: { Authorization: `Bearer ${key}` } });
    expect(await stop(child, "SIGTERM")).toBe(0);
    expect(output()).toContain(`curl -i -H "Authorization: Bearer $(cat data/quickstart.key)" ${baseUrl}/pets`);
    expect(output()).toContain('"operationId":"listPets"');
    expect(output()).not.toContain(key);
    expect((await stat(keyFile())).mode & 0o777).toBe(0o600);
  });

  test("a request in flight at SIGTERM is answered", async () => {
    const { child, baseUrl } = await serve();
    const { hostname, port } = new URL(baseUrl);
    const body = '{"name":"Rex","categoryId":1}';
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: ${await authorization()}\r\nExpect: 100-continue\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    const [interim] = (await once(socket, "data")) as [Buffer]; // 100 Continue: the request is being served
    expect(interim.toString()).toMatch(/^HTTP\/1.1 100 /);
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    await expect.poll(() => refusesConnections(Number(port), hostname)).toBe(true);
    socket.write(body);
    expect(await text(socket)).toMatch(/^HTTP\/1.1 201 /);
    expect(await exited).toEqual([0, null]);
  });

  test("no quickstart key outside development", async () => {
    const { child } = await serve({ PETSTORE_ENV: "production" });
    expect(await stop(child, "SIGTERM")).toBe(0);
    await expect(stat(keyFile())).rejects.toThrow("ENOENT");
  });
});

async function refusesConnections(port: number, host: string): Promise<boolean> {
  const probe = connect(port, host);
  const refused = await Promise.race([
    once(probe, "connect").then(() => false),
    once(probe, "error").then(() => true),
  ]).catch(() => true);
  probe.destroy();
  return refused;
}
