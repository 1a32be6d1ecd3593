import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { startService, type TestService } from "@petstore/server/testing";
import { chromiumAbsence, launchChromium, needsTool } from "@platform/test-support/machine";
import type { Browser, Page } from "playwright-core";
import { build, preview, type PreviewServer } from "vite";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { addPet } from "./animal-page.ts";

const folder = join(import.meta.dirname, "..");
/** A folder in the package, so that imports by the package's name resolve. */
const built = join(folder, ".turbo/readme-react");
const shown = join(built, "readme.tsx");

beforeAll(() => {
  mkdirSync(built, { recursive: true });
  const [, code] = /^```tsx\n([\s\S]*?)^```/m.exec(readFileSync(join(folder, "docs/guides/react.md"), "utf8"))!;
  writeFileSync(shown, code!);
});
afterAll(() => rmSync(built, { recursive: true }));

test("the guide's components compile", async () => {
  writeFileSync(join(built, "tsconfig.json"), '{ "extends": "../../tsconfig.json", "include": ["*.tsx"] }');
  const compiled = promisify(execFile)("tsc", ["-p", built]).catch((error: { stdout: string }) => error);
  expect((await compiled).stdout).toBe("");
});

describe("in a browser", { timeout: 60_000 }, () => {
  let service: TestService;
  let site: PreviewServer;
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (chromiumAbsence !== undefined) return;
    service = await startService();
    site = await servePage();
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
    await service?.[Symbol.asyncDispose]();
  });
  beforeEach((context) => needsTool(context, chromiumAbsence));

  test("the guide's components suspend, list page after page, and list an added animal", async () => {
    for (const name of ["Rex", "Mia", "Tom"]) await addPet(service, { name, categoryId: 1 });
    const page = await newPage();
    const release = await holdRequests(page);
    await open(page);
    await page.getByText("Loading…").waitFor();
    await release();
    await page.getByText("Loading…").waitFor({ state: "detached" });
    const names = () => page.getByRole("listitem").allTextContents();
    expect(await names()).toEqual(["Rex", "Mia"]);
    await page.getByRole("button", { name: "More" }).click();
    await page.getByText("Tom").waitFor();
    await page.getByRole("button", { name: "More" }).waitFor({ state: "detached" });

    await page.getByLabel("Name").fill("Zoë");
    await page.getByRole("button", { name: "Add" }).click();
    await page.getByRole("listitem").getByText("Zoë").waitFor();
    expect(await names()).toEqual(["Rex", "Mia", "Tom", "Zoë"]);
  });

  test("the guide's components show an error of the service", async () => {
    const page = await newPage();
    await open(page);
    await page.getByRole("button", { name: "Add" }).click();
    const alert = page.getByRole("alert");
    await alert.waitFor();
    expect(await alert.textContent()).toContain("name");
  });

  test("the guide's components throw a failed load to the error boundary", async () => {
    const page = await newPage();
    await open(page, { key: "pst_test_nobody", counting: "" });
    const caught = page.getByText(/^Caught/);
    await caught.waitFor();
    expect(await caught.textContent()).toContain("Caught listPets 401 unauthorized");
    expect(await page.getByRole("alert").textContent()).toBe("unauthorized");
  });

  test("unmounting the guide's components aborts their requests", async () => {
    const page = await newPage();
    await holdRequests(page);
    const [ended] = await Promise.all([
      page.waitForEvent("requestfailed", (request) => request.url().includes("status=sold")),
      open(page, { counting: "" }).then(() => page.getByRole("button", { name: "Stop counting" }).click()),
    ]);
    expect(ended.failure()?.errorText).toBe("net::ERR_ABORTED");
  });

  test("the fake petstore needs neither a service nor eval", async () => {
    const page = await newPage();
    await page.goto(`${site.resolvedUrls!.local[0]}fake.html`);
    const text = page.getByText("Rex and Mia");
    await text.waitFor();
    expect(await text.textContent()).toContain("listPets: the request breaks the contract at /query/limit");
  });

  async function newPage(): Promise<Page> {
    const context = await browser!.newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    return page;
  }

  async function open(page: Page, parameters: Record<string, string> = {}): Promise<void> {
    const query = new URLSearchParams({ url: service.baseUrl, key: service.key, ...parameters });
    await page.goto(`${site.resolvedUrls!.local[0]}?${query}`);
  }

  /** Delays requests to the service until the returned function is called. */
  async function holdRequests(page: Page): Promise<() => Promise<void>> {
    const held = Promise.withResolvers<void>();
    await page.route(`${service.baseUrl}/**`, (route) => held.promise.then(() => route.continue()));
    return async () => held.resolve();
  }
});

/** Builds the page as an application does, and serves it from its own origin. */
async function servePage(): Promise<PreviewServer> {
  const root = join(import.meta.dirname, "fixtures/page");
  const outDir = join(built, "dist");
  const shared = { root, configFile: false as const, logLevel: "error" as const };
  await build({
    ...shared,
    resolve: { alias: { "readme-react": shown } },
    build: { outDir, rolldownOptions: { input: [join(root, "index.html"), join(root, "fake.html")] } },
  });
  return preview({ ...shared, build: { outDir }, preview: { host: "127.0.0.1", port: 0 } });
}
