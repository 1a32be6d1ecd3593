import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromiumAbsence, launchChromium, needsTool } from "@platform/test-support/machine";
import { type InstalledPackage, installPacked, type RunningProgram } from "@platform/test-support/installed-package";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";

const source = fileURLToPath(new URL("..", import.meta.url));
const WIDTHS = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 900 } };

describe("the page of the streams example", { timeout: 60_000 }, () => {
  let installed: InstalledPackage;
  let service: RunningProgram;
  let browser: Browser;
  beforeAll(async () => {
    if (chromiumAbsence !== undefined) return;
    installed = installPacked(source, { express: "5" }, [join(source, "../openapi-document")]);
    cpSync(join(source, "examples"), installed.directory, { recursive: true });
    service = await installed.serve("streams/server.ts");
    browser = await launchChromium();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await service?.[Symbol.asyncDispose]();
    installed?.[Symbol.dispose]();
  });
  beforeEach((context) => needsTool(context, chromiumAbsence));

  test("shows the tokens of an answer as they come", async () => {
    const page = await open();
    await page.getByRole("button", { name: "Ask" }).click();
    await page.getByText(/^[1-9] tokens$/).waitFor();
    const begun = (await page.locator("#answer").textContent())!;
    await page.getByText(/^All \d\d tokens$/).waitFor();
    const answer = (await page.locator("#answer").textContent())!;
    expect(answer.startsWith(begun)).toBe(true);
    expect(answer).toMatch(/^A stream sends .* the last one that arrived\.$/);
    expect(await last(page, "answer")).toMatch(/finished\d\d of \d\d tokens$/);
  });

  test("stops an answer in the server too, and continues it with the next token", async () => {
    const page = await open();
    await page.getByLabel("Question").press("Enter");
    await page.getByText(/^[3-9] tokens$/).waitFor();
    await page.getByRole("button", { name: "Stop" }).press("Enter");
    const stopped = Number(/^Stopped after (\d+) tokens$/.exec(await text(page.getByText(/^Stopped after/)))![1]);
    await page.locator("#transfers").getByText("stopped").waitFor();
    const seen = Number(/stopped(\d+) of/.exec(await last(page, "answer"))![1]);
    expect(seen).toBeGreaterThanOrEqual(stopped);
    expect(seen).toBeLessThan(stopped + 10);

    const resumed = page.waitForRequest("**/v1/answers");
    await page.getByRole("button", { name: "Continue" }).press("Enter");
    expect((await resumed).headers()["last-event-id"]).toBe(String(stopped));
    await page.getByText(/^All \d\d tokens$/).waitFor();
    expect(await text(page.locator("#answer"))).toMatch(/^A stream sends .* the last one that arrived\.$/);
  });

  test("counts the rows of an export", async () => {
    const page = await open();
    await page.getByLabel("Rows").fill("30000");
    await page.getByRole("button", { name: "Export" }).click();
    await page.getByText(/^Complete in/).waitFor();
    expect(await text(page.locator("#export-count"))).toBe("30,000");
    expect(JSON.parse(await text(page.locator("#export-row")))).toMatchObject({ id: 30_000, station: "Aachen" });
    expect(await last(page, "export")).toContain("finished30000 of 30000 rows");
  });

  test("stops an export in the server too", async () => {
    const page = await open();
    await page.getByLabel("Rows").fill("5000000");
    await page.getByRole("button", { name: "Export" }).click();
    await expect.poll(() => text(page.locator("#export-count"))).not.toBe("0");
    await page.getByRole("button", { name: "Stop" }).click();
    const [, rows = ""] = /^Stopped after ([\d,]+) rows$/.exec(await text(page.getByText(/^Stopped after/)))!;
    expect(Number(rows.replaceAll(",", ""))).toBeLessThan(5_000_000);
    await page.locator("#transfers").getByText("stopped").waitFor();
    const [, made = ""] = /stopped(\d+) of 5000000 rows/.exec(await last(page, "export"))!;
    expect(Number(made)).toBeLessThan(5_000_000);
  });

  test("resumes an interrupted download by a range, and gets the same file", async () => {
    const page = await open();
    await page.getByRole("button", { name: "Start download" }).click();
    await page.getByText(/^[1-9]\.\d MB of/).waitFor();
    await page.getByRole("button", { name: "Interrupt" }).click();
    const interrupted = await text(page.getByText(/^Interrupted after/));
    const ended = page.locator("#transfers").getByText(/stopped|finished/); // the buffers on the way may have taken all of the file
    await ended.waitFor();
    const received = /[\d,]+/.exec(interrupted)![0].replaceAll(",", "");
    const resumed = page.waitForResponse("**/v1/report");
    await page.getByRole("button", { name: "Resume download" }).click();
    expect((await resumed).status()).toBe(206);
    await page.getByText(/^Complete: /).waitFor({ timeout: 30_000 });
    expect(await last(page, "download")).toMatch(new RegExp(`finished.*=${received}-$`));
    const whole = await (await fetch(`${service.origin}/v1/report`)).bytes();
    expect(await text(page.locator("#report-result"))).toBe(`SHA-256 ${sha256(whole)}`);
  });

  test("links to the file, to open it and to download it", async () => {
    const page = await open();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download it" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("report.txt");
    const [opened] = await Promise.all([
      page.waitForEvent("popup"),
      page.getByRole("link", { name: "Open the report" }).click(),
    ]);
    await opened.getByText("Cádiz").first().waitFor();
  });

  test("uploads a file with progress, and shows the size and digest that the server computed", async () => {
    const page = await open();
    const bytes = Buffer.alloc(3_000_000, "stream");
    await page
      .getByLabel("File of up to 10 GiB")
      .setInputFiles({ name: "three.bin", mimeType: "application/octet-stream", buffer: bytes });
    await page.getByRole("button", { name: "Upload" }).click();
    await page.getByText("The server received 3,000,000 bytes of three.bin").waitFor();
    expect(await text(page.locator("#upload-result"))).toBe(`SHA-256 ${sha256(bytes)}`);
    expect(await page.locator("#upload-progress").evaluate((bar) => (bar as unknown as { value: number }).value)).toBe(
      1,
    );
    expect(await last(page, "upload")).toContain("finished3000000 bytes");
  });

  test("cancels an upload in the server too", async () => {
    const page = await open();
    await page.getByLabel("File of up to 10 GiB").setInputFiles(sparseFile(4 * 1024 ** 3));
    await page.getByRole("button", { name: "Upload" }).click();
    await page.getByText(/^[\d.]+ MB of 4295\.0 MB$/).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("Cancelled").waitFor();
    await page.locator("#transfers").getByText("stopped").waitFor();
    const [, bytes = ""] = /stopped(\d+) bytes/.exec(await last(page, "upload"))!;
    expect(Number(bytes)).toBeLessThan(4 * 1024 ** 3);
  });

  test.each(Object.entries(WIDTHS))("fits the width of a %s", async (_, viewport) => {
    const page = await open(viewport);
    const overflow = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    expect(overflow).toBe(0);
  });

  /** Opens the page once it watches the server. It may load nothing from elsewhere, and log no error. */
  async function open(viewport = WIDTHS.desktop): Promise<Page> {
    const context = await browser.newContext({ viewport });
    const complaints: string[] = [];
    onTestFinished(async () => {
      await context.close();
      expect(complaints).toEqual([]);
    });
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("request", (request) => request.url().startsWith(service.origin) || complaints.push(request.url()));
    const watching = page.waitForResponse("**/v1/transfers");
    await page.goto(service.origin);
    await watching;
    return page;
  }
});

async function text(locator: Locator): Promise<string> {
  return (await locator.textContent())!;
}

/** The latest change of an operation, as the server saw it. */
function last(page: Page, operation: string): Promise<string> {
  return text(page.locator("#transfers li", { hasText: operation }).filter({ hasNotText: "running" }).first());
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** A file that takes no space. */
function sparseFile(size: number): string {
  const folder = mkdtempSync(join(tmpdir(), "upload-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "large.bin");
  writeFileSync(file, "");
  truncateSync(file, size);
  return file;
}
