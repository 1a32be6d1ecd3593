import { join } from "node:path";
import { chromiumAbsence, launchChromium, needsTool } from "@platform/test-support/machine";
import { rolldown } from "rolldown";
import { expect, test } from "vitest";
import type { UploadProgress } from "../src/parts/upload-progress.ts";
import { serve } from "./shop.ts";

/** What the page of the test calls. */
declare const parts: typeof import("../src/parts/upload-progress.ts");

test("in a browser, uploads report their progress, keep Content-Length, and end with their signal", async (context) => {
  needsTool(context, chromiumAbsence);
  const bundle = await rolldown({ input: join(import.meta.dirname, "../src/parts/upload-progress.ts") });
  const { code } = (await bundle.generate({ format: "iife", name: "parts" })).output[0];
  const received: unknown[] = [];
  const aborted = Promise.withResolvers<void>();
  await using server = await serve((request, response) => {
    const { url, method, headers } = request;
    if (method === "GET") return void response.writeHead(200, { "Content-Type": "text/html" }).end("<!doctype html>");
    if (url === "/never") return void request.on("close", aborted.resolve).resume();
    if (url === "/moved")
      return void request.resume().on("end", () => response.writeHead(307, { Location: "/x" }).end());
    let bytes = 0;
    request.on("data", (chunk: Buffer) => (bytes += chunk.length));
    request.on("end", () => {
      received.push([
        url,
        headers["content-length"],
        headers["content-type"],
        headers["x-trace"],
        headers.cookie,
        bytes,
      ]);
      response.writeHead(url === "/empty" ? 204 : 422, { "X-Answer": "a: b" }).end(url === "/empty" ? "" : '"no"');
    });
  });
  await using browser = await launchChromium();
  const page = await browser.newPage();
  await page.goto(server.baseUrl);
  await page.addScriptTag({ content: code });
  const seen = await page.evaluate(async () => {
    document.cookie = "session=1";
    const progress: UploadProgress[] = [];
    const send = parts.uploadProgress(fetch, (event) => progress.push(event));
    const post = (path: string, more: RequestInit = {}) => {
      const headers = { "X-Trace": "1", "Content-Type": "image/png" };
      const body = new Uint8Array(5_000_000);
      return send(new Request(path, { method: "POST", body, headers, redirect: "manual", ...more }));
    };
    const failed = async (work: Promise<unknown>) => work.then(String, ({ name, message }: Error) => [name, message]);
    const response = await post("/x");
    const { status, url } = response;
    return {
      response: [status, new URL(url).pathname, response.headers.get("X-Answer"), await response.json()],
      progress: progress.splice(0),
      anonymous: (await post("/anonymous", { credentials: "omit" })).status,
      empty: (await post("/empty")).body,
      moved: await failed(post("/moved")),
      offline: await failed(post("http://127.0.0.1:1/")),
      aborted: await failed(post("/never", { signal: AbortSignal.timeout(500) })),
    };
  });
  expect(seen).toMatchObject({
    response: [422, "/x", "a: b", "no"],
    anonymous: 422,
    empty: null,
    moved: ["TypeError", "The network request was redirected."],
    offline: ["TypeError", "The network request failed."],
    aborted: ["TimeoutError", expect.any(String)],
  });
  await aborted.promise;
  const { progress } = seen;
  expect(progress.at(-1)).toEqual({ loaded: 5_000_000, total: 5_000_000 });
  expect(progress.map(({ loaded }) => loaded)).toEqual(progress.map(({ loaded }) => loaded).toSorted((a, b) => a - b));
  const facts = ["5000000", "image/png", "1"];
  expect(received).toEqual([
    ["/x", ...facts, "session=1", 5_000_000],
    ["/anonymous", ...facts, undefined, 5_000_000],
    ["/empty", ...facts, "session=1", 5_000_000],
    ["/x", ...facts, "session=1", 5_000_000],
  ]);
}, 60_000);
