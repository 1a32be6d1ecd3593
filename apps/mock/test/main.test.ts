import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";

const MAIN = resolve(import.meta.dirname, "../src/main.ts");

test("the mock prints its address and a request to try, and logs each request", async () => {
  const child = spawn(process.execPath, [MAIN, "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill());
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const lineWith = async (text: string): Promise<string> => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`the mock ended without ${text}`);
      if (value.includes(text)) return value;
    }
  };
  const baseUrl = /listening on (\S+)/.exec(await lineWith("listening on"))![1]!;
  expect(await lineWith("curl")).toContain(`${baseUrl}/pets`);
  const answer = await fetch(`${baseUrl}/pets`, { headers: { Authorization: "Bearer any-key", Prefer: "code=503" } });
  expect(answer.status).toBe(503);
  expect(await lineWith("GET")).toBe("GET /v1/pets 503");
});

test("the mock names a contract file that it cannot read", async () => {
  const folder = await mkdtemp(join(tmpdir(), "mock-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "broken.yaml");
  await writeFile(file, 'openapi: 3.1.1\ninfo:\n  title: "unclosed\n');
  const failure: unknown = await promisify(execFile)(process.execPath, [MAIN, file]).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 1, stderr: expect.stringMatching(/broken\.yaml/) });
});

test("the mock exits with the error and the remedy if its port is taken", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void taken.close());
  await once(taken, "listening");
  const { port } = taken.address() as AddressInfo;
  const failure: unknown = await promisify(execFile)(process.execPath, [MAIN, "--port", String(port)]).catch(
    (error: unknown) => error,
  );
  expect(failure).toMatchObject({
    code: 1,
    stdout: "",
    stderr: `listen EADDRINUSE: address already in use 127.0.0.1:${port}. Choose another port with --port.\n`,
  });
});
