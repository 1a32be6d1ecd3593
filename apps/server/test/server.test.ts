import { once } from "node:events";
import { stat } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { curlExamples, version } from "@petstore/contract";
import { temporaryFolder } from "@platform/test-support/temporary";
import { isOwnerOnly, isPosix, needsPosix } from "@platform/test-support/machine";
import { beforeEach, describe, expect, test } from "vitest";
import { startProgram } from "./program.ts";

const REX = '{"name":"Rex","categoryId":1}';

describe("serve", () => {
  let folder: string;
  beforeEach(async () => void (folder = await temporaryFolder()));

  test.each(["SIGTERM", "SIGINT"] as const)(
    "%s ends the service with 0 and a last log line, and every animal is stored after a restart",
    async (signal) => {
      const first = await startProgram(folder);
      const headers = { Authorization: `Bearer ${first.key}`, "Content-Type": "application/json" };
      const created = await fetch(`${first.baseUrl}/pets`, { method: "POST", headers, body: REX });
      const pet: unknown = await created.json();
      expect(await first.stop(signal)).toBe(0);
      const [line = ""] = first.output().trimEnd().split("\n").slice(-1);
      expect(JSON.parse(line)).toMatchObject({ level: 30, ...(isPosix && { signal }), msg: "stopped" });

      const second = await startProgram(folder);
      expect(await (await fetch(`${second.baseUrl}/pets`, { headers })).json()).toEqual([pet]);
      await second.stop("SIGKILL");
    },
  );

  test("prints a request to try, but never the key, and only the owner may read the key file", async () => {
    const { key, output, baseUrl, stop } = await startProgram(folder);
    await fetch(`${baseUrl}/pets`, { headers: { Authorization: `Bearer ${key}` } });
    expect(await stop()).toBe(0);
    const keyText = "$(cat data/quickstart.key)";
    expect(output().slice(0, output().indexOf('{"level'))).toBe(
      [
        `Petstore ${version} (development) is listening on ${baseUrl}`,
        `Try every operation in the API reference at ${new URL("/docs", baseUrl).href}`,
        "",
        `Try it from another terminal${isPosix ? "" : ", in PowerShell 7 or Git Bash"}:`,
        ...curlExamples.map((curl) => `  ${curl.replace("{key}", keyText).replace("{url}", baseUrl)}`),
        "",
        "Ctrl+C stops it.",
        "",
        "",
      ].join("\n"),
    );
    expect(output()).toContain('"operationId":"listPets"');
    expect(output()).not.toContain(key);
    expect(isOwnerOnly(join(folder, "data/quickstart.key"))).toBe(true);
  });

  test("prints the address of the metrics after the other addresses", async () => {
    const env = { PETSTORE_ENV: "production", METRICS_PORT: "0", LOG_LEVEL: "silent" };
    const { output, stop } = await startProgram(folder, env);
    expect(await stop()).toBe(0);
    const [, , metrics, ...others] = output().split("\n");
    expect(metrics).toMatch(/^Metrics are at http:\/\/127\.0\.0\.1:\d+\/metrics$/);
    expect(others).toEqual([""]);
  });

  test("completes a request in flight at SIGTERM", async (context) => {
    needsPosix(context, "signals that a program can handle");
    const { key, baseUrl, stop } = await startProgram(folder);
    const { hostname, port } = new URL(baseUrl);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nExpect: 100-continue\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${REX.length}\r\n\r\n`,
    );
    const [interim] = (await once(socket, "data")) as [Buffer]; // 100 Continue: the request is being served
    expect(interim.toString()).toMatch(/^HTTP\/1.1 100 /);
    const code = stop();
    await expect.poll(() => refusesConnections(Number(port), hostname)).toBe(true);
    socket.write(REX);
    expect(await text(socket)).toMatch(/^HTTP\/1.1 201 /);
    expect(await code).toBe(0);
  });

  test("creates no quickstart key outside development", async () => {
    const { stop } = await startProgram(folder, { PETSTORE_ENV: "production" });
    expect(await stop()).toBe(0);
    await expect(stat(join(folder, "data/quickstart.key"))).rejects.toThrow("ENOENT");
  });

  test("prints no hint at a quickstart key outside development, even if one exists", async () => {
    expect(await (await startProgram(folder)).stop()).toBe(0);
    expect((await stat(join(folder, "data/quickstart.key"))).isFile()).toBe(true);
    for (const environment of ["staging", "production"]) {
      const { baseUrl, output, stop } = await startProgram(folder, { PETSTORE_ENV: environment, LOG_LEVEL: "silent" });
      expect(await stop()).toBe(0);
      expect(output()).toBe(
        `Petstore ${version} (${environment}) is listening on ${baseUrl}\n` +
          `Try every operation in the API reference at ${new URL("/docs", baseUrl).href}\n`,
      );
    }
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
