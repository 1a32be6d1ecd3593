import { document } from "@petstore/contract/document";
import { type OpenedPage, openPage, violations } from "@platform/test-support/browser";
import { chromiumAbsence, launchChromium, needsTool } from "@platform/test-support/machine";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startService, type TestService } from "./petstore.ts";

/** The axe rules that the dialog of Scalar 1.72.1 breaks, and that its configuration cannot fix. */
const SCALARS_OWN = new Set([
  "aria-allowed-role",
  "aria-prohibited-attr",
  "aria-required-attr",
  "landmark-no-duplicate-main",
  "presentation-role-conflict",
]);

const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
const WIDE = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };

let service: TestService;
let browser: Browser | undefined;
beforeAll(async () => {
  service = await startService();
  if (chromiumAbsence === undefined) browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await service[Symbol.asyncDispose]();
});
beforeEach((context) => needsTool(context, chromiumAbsence));

test("the reference page shows every operation and every section of the description", async () => {
  const { page, complaints } = await open();
  for (const { operationId, summary } of operations) {
    await page.getByRole("link", { name: summary }).first().click();
    await page.getByRole("heading", { name: summary }).waitFor();
    await page.locator(".badge", { hasText: new RegExp(`^${operationId}$`) }).waitFor();
  }
  for (const [, title = ""] of document.info.description.matchAll(/^## (.*)$/gm))
    expect(await page.getByRole("heading", { name: title, exact: true }).count(), title).toBeGreaterThan(0);
  expect(complaints).toEqual([]);
});

test("each operation shows the call of the client first, then curl", async () => {
  const { page, complaints } = await open("#tag/pets/POST/pets");
  const section = page.locator('section[id$="tag/pets/POST/pets"]');
  await section
    .locator("code", { hasText: 'await petstore.createPet({\n  name: "Rex",\n  categoryId: 1,\n});' })
    .waitFor();
  await section.getByRole("button", { name: "@petstore/client" }).click();
  await page.getByRole("option", { name: "curl", exact: true }).click();
  await section.locator("code", { hasText: "$PETSTORE_URL/pets" }).waitFor();
  expect(complaints).toEqual([]);
});

test("a request for the list, sent with the keyboard alone, shows the animals", async () => {
  const { name } = await service.addPet({ name: "Bucephalus", categoryId: 1 });
  const { page, complaints } = await open();
  await tabTo(page, "List animals");
  await page.keyboard.press("Enter");
  await page.waitForURL(/#.*GET\/pets$/);
  await tabTo(page, "Test Request(get /pets)");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await tabTo(page, "Bearer Token");
  await page.keyboard.insertText(service.key);
  const answered = page.waitForResponse(/\/v1\/pets/);
  await page.keyboard.press("Control+Enter");
  expect((await answered).status()).toBe(200);
  await page.getByRole("dialog").getByText(name).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  expect(complaints).toEqual([]);
});

test("axe reports no violation on a wide screen and on a phone, and enough contrast in dark mode", async () => {
  const { page } = await open("#tag/pets/GET/pets");
  const tryListing = page.getByRole("button", { name: "Test Request (get /pets)", exact: true });
  await tryListing.waitFor();
  await page.addStyleTag({
    content: "*, ::before, ::after { transition: none !important; animation: none !important }",
  });
  for (const size of [WIDE, PHONE]) {
    await page.setViewportSize(size);
    await turn(page, "dark");
    expect(await violations(page, "body", ["color-contrast"])).toEqual([]);
    await turn(page, "light");
    expect(await violations(page, "body")).toEqual([]);
  }
  await tryListing.click();
  await page.getByRole("dialog").getByRole("button", { name: "Send Request" }).waitFor();
  expect((await violations(page, "[role=dialog]")).filter(({ id }) => !SCALARS_OWN.has(id))).toEqual([]);
});

test("the page leads to the changelog, in which axe reports no violation and nothing is wider than a phone", async () => {
  const { page, complaints } = await open();
  await page.getByRole("link", { name: "changes in" }).click();
  await page.getByRole("heading", { name: document.info.version }).waitFor();
  await page.setViewportSize(PHONE);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await violations(page, "body")).toEqual([]);
  }
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(PHONE.width);
  expect(complaints).toEqual([]);
});

test("the copy button keeps a distance from the last status, on wide screens and on phones", async () => {
  const { page } = await open("#tag/pets/POST/pets");
  const section = page.locator('section[id$="tag/pets/POST/pets"]');
  for (const size of [WIDE, PHONE]) {
    await page.setViewportSize(size);
    const statuses = (await section.getByRole("tablist").boundingBox())!;
    const button = (await section.getByRole("button", { name: "Copy example value" }).boundingBox())!;
    expect(button.x - (statuses.x + statuses.width)).toBeGreaterThanOrEqual(8);
  }
});

async function turn(page: Page, colorScheme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.locator(`body.${colorScheme}-mode`).waitFor();
}

/** Opens the page. */
async function open(hash = ""): Promise<OpenedPage> {
  const { origin } = new URL(service.baseUrl);
  const opened = await openPage(browser!, `${origin}/`, { viewport: WIDE });
  await opened.page.goto(`${origin}/docs${hash}`);
  await opened.page.getByRole("heading", { name: document.info.title, exact: true }).waitFor();
  return opened;
}

/** Presses Tab until the focused element has the name, as users without a mouse do. */
async function tabTo(page: Page, name: string): Promise<void> {
  const passed: string[] = [];
  while (passed.length < 80) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate<string>(nameOfFocused);
    if (focused.startsWith(name)) return;
    passed.push(focused);
  }
  expect.fail(`Tab does not lead to "${name}", but to: ${passed.join(", ")}`);
}

/** The name of the focused element for a screen reader. Runs in the browser, which the compiler does not know. */
const nameOfFocused = `(() => {
  const element = document.activeElement;
  const label = document.querySelector('label[for="' + element.id + '"]');
  return (label?.textContent ?? element.ariaLabel ?? element.textContent).trim();
})()`;
