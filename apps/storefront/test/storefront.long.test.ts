import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { createPetstore } from "@petstore/client";
import { startService, type TestService } from "@petstore/server/testing";
import { openPage, violations } from "@platform/test-support/browser";
import { chromiumAbsence, freePort, launchChromium, needsTool } from "@platform/test-support/machine";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { build, preview } from "vite";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { type Backend, proxyTo, startMock } from "../backend.ts";

const root = join(import.meta.dirname, "..");
const outDir = join(root, ".turbo/long");
/** A folder for screenshots, to look at. */
const shots = process.env["SCREENSHOTS"];
const PHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 800 };

let browser: Browser;
let service: TestService;
let mock: Awaited<ReturnType<typeof startMock>>;
beforeAll(async () => {
  if (chromiumAbsence !== undefined) return;
  await build({ root, logLevel: "error", build: { outDir } });
  [browser, service, mock] = await Promise.all([launchChromium(), startService(), startMock()]);
  const petstore = createPetstore({ baseUrl: service.baseUrl, apiKey: service.key });
  for (let number = 1; number <= 14; number += 1) {
    const pet = { name: `Pet ${number}`, categoryId: number % 5, status: number > 12 ? "sold" : "available" } as const;
    await petstore.createPet(pet).orThrow();
  }
});
afterAll(async () => {
  await browser?.close();
  mock?.stop();
  await service?.[Symbol.asyncDispose]();
  rmSync(outDir, { recursive: true, force: true });
});
beforeEach((context) => needsTool(context, chromiumAbsence));

test("without a service, the command starts the mock, says so, and ends both", async () => {
  const command = spawn(process.execPath, [join(root, "start.ts")], {
    env: { ...process.env, PORT: String(await freePort()) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void command.kill("SIGKILL"));
  const ended = once(command, "exit");
  let output = "";
  command.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  await expect.poll(() => output).toContain("Ctrl+C");
  const [, mocked = ""] = /It calls the mock at (\S+);/.exec(output)!;
  const [, site = ""] = /The shop front is at (\S+)/.exec(output)!;
  expect((await fetch(new URL("v1/pets", site))).status).toBe(200);
  expect(await (await fetch(site)).text()).toContain("<title>Petstore</title>");
  command.kill("SIGTERM");
  await ended;
  await expect.poll(() => fetch(mocked).catch(({ message }: Error) => message)).toBe("fetch failed");
});

test.each([
  ["GET", 404, { Origin: "https://elsewhere.test" }],
  ["GET", 404, { Origin: "null" }],
  ["GET", 404, { "Sec-Fetch-Site": "cross-site" }],
  ["OPTIONS", 204, { Origin: "https://elsewhere.test", "Access-Control-Request-Method": "POST" }],
])("a page of another origin cannot use the key: %s gets %i for %o", async (method, status, headers) => {
  const { page } = await open(backendOf("service"));
  const url = new URL("v1/pets", page.url());
  expect((await fetch(url)).status).toBe(200);
  expect((await fetch(url, { headers: { Origin: url.origin } })).status).toBe(200);
  const refused = await fetch(url, { method, headers });
  expect([refused.status, refused.headers.get("Access-Control-Allow-Origin")]).toEqual([status, null]);
});

describe.each(["service", "mock"] as const)("before the %s", (kind) => {
  test("the page lists animals, and lists one that is added with the keyboard alone", async () => {
    const { page, complaints } = await open(backendOf(kind));
    await page.getByRole("listitem").first().waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter"); // skips to the animals
    await tabTo(page, "name");
    await page.keyboard.type("Zoë");
    await page.keyboard.press("Tab");
    await page.keyboard.type("2");
    await page.keyboard.press("Tab");
    await page.keyboard.press("ArrowDown"); // pending
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText(/^Zoë is number \d+\.$/).waitFor();
    expect(await focused(page)).toBe("name");
    await tabTo(page, "All", "Shift+Tab");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.getByRole("radio", { name: "Pending", checked: true }).waitFor();
    await page.getByRole("heading", { name: "Zoë", level: 3 }).waitFor();
    expect(complaints).toEqual([]);
  });
});

test("the filter lists the animals of one status", async () => {
  const { page } = await open(backendOf("service"));
  await page.getByRole("radio", { name: "Sold" }).check();
  await page.getByText("2 animals.", { exact: true }).waitFor();
  expect(await page.getByRole("listitem").getByRole("heading").allTextContents()).toEqual(["Pet 13", "Pet 14"]);
});

test("the next page continues the list, and its first animal has the focus", async () => {
  const { page } = await open(backendOf("service"));
  await page.getByText("12 animals, and there are more.").waitFor();
  await page.getByRole("button", { name: "Show more" }).click();
  await page.getByRole("heading", { name: "Pet 13" }).waitFor();
  await page.getByRole("button", { name: "Show more" }).waitFor({ state: "detached" });
  expect(await page.locator("li:focus").getByRole("heading").textContent()).toBe("Pet 13");
});

test("a rejected animal stays in the form, with the service's reason and the request id", async () => {
  const { page } = await open(backendOf("service"));
  const name = "n".repeat(256);
  await page.getByLabel("Name").fill(name);
  await page.getByRole("button", { name: "Add" }).click();
  const alert = page.getByRole("alert");
  await alert.getByText("invalid_request").waitFor();
  expect(await alert.textContent()).toMatch(/255 characters.*request [\w-]{36}/);
  expect(await alert.getByRole("button").count()).toBe(0);
  expect(await page.getByLabel("Name").inputValue()).toBe(name);
  await shoot(page, "rejected");
});

test("a list that fails is requested again with the button", async () => {
  const { page, context } = await open(backendOf("service"), {}, false);
  const unavailable = { code: "unavailable", message: "Try later.", status: 503 };
  const headers = { "X-Request-Id": "request-7" };
  await context.route(/\/v1\/pets/, (route) => route.fulfill({ status: 503, json: unavailable, headers }));
  await page.reload();
  const alert = page.getByRole("alert");
  await alert.waitFor();
  expect(await alert.textContent()).toContain("Try later.unavailable · request request-7");
  expect(await page.getByText("There are no animals here.").count()).toBe(0);
  await shoot(page, "failed");
  await context.unroute(/\/v1\/pets/);
  await alert.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "Pet 1", exact: true }).waitFor();
  expect(await alert.count()).toBe(0);
});

test("an animal whose response is lost is added once when the button repeats it", async () => {
  const { page, context } = await open(backendOf("service"));
  const keys: (string | undefined)[] = [];
  await context.route(/\/v1\/pets$/, async (route) => {
    const request = route.request();
    if (request.method() !== "POST") return route.continue();
    keys.push(request.headers()["idempotency-key"]);
    await route.fetch();
    return route.abort();
  });
  await page.getByLabel("Name").fill("Once");
  await page.getByRole("button", { name: "Add" }).click();
  await page.getByText("The service cannot be reached.").waitFor();
  await context.unroute(/\/v1\/pets$/);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText(/^Once is number/).waitFor();
  expect(new Set(keys).size).toBe(1);
  const all = (await (await service.request("/pets?limit=100")).json()) as { name: string }[];
  expect(all.filter(({ name }) => name === "Once")).toHaveLength(1);
});

test("offline, the page says so, and adds the animal once the connection is back", async () => {
  const { page, context } = await open(backendOf("service"));
  await page.getByRole("listitem").first().waitFor();
  await context.setOffline(true);
  await page.getByText("You are offline.").waitFor();
  await page.getByLabel("Name").fill("Patience");
  await page.getByRole("button", { name: "Add" }).click();
  await page.getByText("The animal is added when the connection is back.").waitFor();
  await shoot(page, "offline");
  await context.setOffline(false);
  await page.getByText(/^Patience is number/).waitFor();
  expect(await page.getByText("You are offline.").count()).toBe(0);
});

describe.each([
  ["390", PHONE],
  ["1280", DESK],
] as const)("at %s pixels", (width, viewport) => {
  test.each(["light", "dark"] as const)("axe finds nothing in the %s scheme, and nothing overflows", async (scheme) => {
    const { page } = await open(backendOf("service"), { viewport, colorScheme: scheme });
    await page.getByRole("listitem").first().waitFor();
    const ground = await page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
    expect(ground).toBe(scheme === "dark" ? "rgb(20, 26, 23)" : "rgb(246, 243, 236)");
    await shoot(page, `${scheme}-${width}`);
    await page.getByLabel("Name").fill("n".repeat(256));
    await page.getByRole("button", { name: "Add" }).click();
    await page.getByRole("alert").waitFor();
    expect(await violations(page, "html")).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(viewport.width);
  });
});

test("the browser never has the API key", async () => {
  const { page } = await open(backendOf("service"), {}, false);
  const sent: string[] = [];
  page.on("request", (request) => sent.push(JSON.stringify([request.url(), request.headers()])));
  await page.reload();
  await page.getByRole("listitem").first().waitFor();
  expect(sent.join("\n")).toContain("/v1/pets");
  expect(sent.join("\n") + (await page.content())).not.toContain(service.key);
});

function backendOf(kind: "service" | "mock"): Backend {
  return kind === "mock" ? mock : { baseUrl: service.baseUrl, apiKey: service.key };
}

/** Serves the built page before an API, and opens it. */
async function open(backend: Backend, options: BrowserContextOptions = {}, isComplete = true) {
  const shared = { root, logLevel: "error" as const, build: { outDir } };
  const site = await preview({ ...shared, preview: { host: "127.0.0.1", port: 0, proxy: proxyTo(backend) } });
  onTestFinished(() => site.close());
  const address = site.resolvedUrls!.local[0]!;
  const opened = await openPage(browser, address, { viewport: DESK, ...options });
  const { page } = opened;
  await page.goto(address);
  if (isComplete) await page.getByRole("listitem").first().waitFor();
  return opened;
}

async function shoot(page: Page, name: string): Promise<void> {
  if (shots !== undefined) await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true });
}

/** Presses a key until the focused element has the name. */
async function tabTo(page: Page, name: string, key = "Tab"): Promise<void> {
  for (let presses = 0; presses < 30; presses += 1) {
    await page.keyboard.press(key);
    if ((await focused(page)) === name) return;
  }
  expect.fail(`${key} does not lead to "${name}".`);
}

/** The name of the focused field, or the text of the focused element. */
function focused(page: Page): Promise<string> {
  return page.evaluate<string>(
    `((element) => (element.type === "radio" ? element.parentElement.textContent : element.name || element.textContent).trim())(document.activeElement)`,
  );
}
