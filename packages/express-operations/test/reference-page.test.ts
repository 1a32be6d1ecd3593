import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { type IncomingMessage, request as httpRequest } from "node:http";
import { text } from "node:stream/consumers";
import express from "express";
import { afterAll, beforeAll, expect, test } from "vitest";
import { referencePage, type ReferencePageOptions } from "../src/documents/reference-page.ts";
import { document as bookshop } from "./fixtures/bookshop.ts";
import { listen } from "./listen.ts";

const document = {
  ...bookshop,
  info: { title: 'Books & "More"', version: "1.0.0</title>" },
  components: { ...bookshop.components, securitySchemes: { key: { type: "http", scheme: "bearer" } } },
};
/** An application that has a strict policy and routes of its own. */
const serve = (options: Partial<ReferencePageOptions> = {}) =>
  listen(
    express()
      .use((_request, response, next) => {
        response.set("Content-Security-Policy", "default-src 'self'");
        next();
      })
      .use("/shop/docs", referencePage({ document, ...options }))
      .use((request, response) => void response.status(299).send(request.path)),
  );

let server: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => void (server = await serve()));
afterAll(() => server[Symbol.asyncDispose]());

const get = (path: string, init?: RequestInit) => fetch(server.baseUrl + path, init);
const pageOf = async ({ baseUrl }: { baseUrl: string }) => (await fetch(`${baseUrl}/shop/docs`)).text();
const startScriptOf = (page: string) => /<script>(.*)<\/script>/.exec(page)![1]!;
const settingsOf = (page: string) =>
  JSON.parse(/^Scalar\.createApiReference\("#reference", (.*)\)$/.exec(startScriptOf(page))![1]!) as object;
const scriptPath = async () => /src="([^"]+)"/.exec(await pageOf(server))![1]!;

test("the page has the document's title, and its document and script below its own path", async () => {
  const page = await pageOf(server);
  expect(page).toContain("<title>Books &amp; &#34;More&#34; API 1.0.0&lt;/title&gt;</title>");
  expect(settingsOf(page)).toMatchObject({
    url: "/shop/docs/openapi.json",
    authentication: { preferredSecurityScheme: "key" },
  });
  expect(settingsOf(page)).not.toHaveProperty("servers");
  const shown = await get("/shop/docs/openapi.json");
  expect(shown.headers.get("Content-Type")).toBe("application/json; charset=utf-8");
  expect(await shown.json()).toEqual(JSON.parse(JSON.stringify(document)));
  const script = await get(await scriptPath());
  const scalar = await readFile(new URL("browser/standalone.js", import.meta.resolve("@scalar/api-reference")));
  expect(Buffer.from(await script.arrayBuffer()).equals(scalar)).toBe(true);
  expect(script.headers.get("Cache-Control")).toContain("immutable");
});

test("the policy of the page replaces that of the application, and allows no other host", async () => {
  const response = await get("/shop/docs");
  const page = await response.text();
  const hash = createHash("sha256").update(startScriptOf(page)).digest("base64");
  const policy = response.headers.get("Content-Security-Policy")!;
  expect(policy).toContain(`default-src 'none';script-src 'self' 'sha256-${hash}';`);
  expect(policy).toContain(";connect-src 'self';");
  expect(policy).not.toContain("http");
  expect(page).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  expect(settingsOf(page)).toMatchObject({ telemetry: false, withDefaultFonts: false, agent: { disabled: true } });
});

test("server, url and settings replace the server, the document's path and the settings", async () => {
  await using other = await serve({
    server: "/v1",
    url: "/openapi.json",
    settings: { telemetry: true, theme: "</moon>" },
  });
  const page = await pageOf(other);
  expect(settingsOf(page)).toMatchObject({
    servers: [{ url: "/v1" }],
    url: "/openapi.json",
    telemetry: true,
    theme: "</moon>",
  });
  expect(page).toContain('<a href="/openapi.json">');
  expect(page).not.toContain("</moon>");
  expect((await fetch(`${other.baseUrl}/shop/docs/openapi.json`)).status).toBe(299);
});

test("a mount path that the request chooses cannot add elements to the page", async () => {
  await using other = await listen(express().use("/:shop/docs", referencePage({ document })));
  const sent = httpRequest(other.baseUrl, { path: '/"><x>/docs' }).end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const page = await text(response);
  expect(page).toContain('<script src="/&#34;&gt;&lt;x&gt;/docs/scalar-');
  expect(page).not.toContain("<x>");
});

test("other paths below the page reach the routes behind", async () => {
  for (const path of ["/shop/docs/scalar-x.js", "/shop/docs/pets", "/shop/docs/openapi.json/"])
    expect([path, (await get(path)).status]).toEqual([path, 299]);
});

test("OPTIONS gets 204, and a method other than GET and HEAD is a 405 for the error handler", async () => {
  for (const path of ["/shop/docs", "/shop/docs/openapi.json", await scriptPath()]) {
    const options = await get(path, { method: "OPTIONS" });
    expect([path, options.status, options.headers.get("Allow")]).toEqual([path, 204, "GET, HEAD, OPTIONS"]);
    const head = await get(path, { method: "HEAD" });
    expect([path, head.status, await head.text()]).toEqual([path, 200, ""]);
    const post = await get(path, { method: "POST" });
    expect(await post.json()).toEqual({ fault: "This path allows only the methods GET, HEAD, OPTIONS." });
  }
});

test("Express's own error handler sends the 405 with Allow", async () => {
  const app = express().set("env", "test").use(referencePage({ document }));
  const listening = app.listen(0);
  const { port } = listening.address() as { port: number };
  const response = await fetch(`http://127.0.0.1:${port}/`, { method: "POST" });
  expect([response.status, response.headers.get("Allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
  listening.close();
});

test("without the package of Scalar, the start fails with the command that installs it", () => {
  const program = `
    import { registerHooks } from "node:module";
    registerHooks({
      resolve(name, context, next) {
        if (name.startsWith("@scalar/")) throw new Error("not found");
        return next(name, context);
      },
    });
    const { referencePage } = await import(${JSON.stringify(new URL("../src/documents/reference-page.ts", import.meta.url))});
    try {
      referencePage({ document: {} });
    } catch ({ message }) {
      console.log(message);
    }`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
    encoding: "utf8",
  });
  expect([stdout, stderr]).toEqual([
    "referencePage needs the package @scalar/api-reference. Run `npm install @scalar/api-reference`, or set the option script.\n",
    "",
  ]);
});

test("the option script names another file of Scalar, which has to exist", async () => {
  await using other = await serve({ script: new URL(import.meta.url) });
  const path = /src="([^"]+)"/.exec(await pageOf(other))![1]!;
  expect(await (await fetch(other.baseUrl + path)).text()).toBe(await readFile(new URL(import.meta.url), "utf8"));
  expect(() => referencePage({ document, script: "scalar.js" })).toThrow(
    "The option script of referencePage is scalar.js. There is no such file.",
  );
});
