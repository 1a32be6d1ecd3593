import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestService } from "@petstore/server/testing";
import { launchChromium } from "@platform/test-support/machine";
import { expect } from "vitest";
import { createPetstore, type NewPet } from "../src/index.ts";
import { faulty } from "./faulty.ts";

/** Adds an animal. */
export async function addPet({ baseUrl, key }: TestService, pet: NewPet): Promise<void> {
  await createPetstore({ baseUrl, apiKey: key }).createPet(pet).orThrow();
}

/** Serves the built page of `fixtures/browser` from another origin, and lists three animals with it in Chromium. */
export async function expectPageListsAnimals(site: string, service: TestService): Promise<void> {
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(15_000);
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(String(error)));
    await using shop = await faulty(({ url = "" }, response) => {
      const file = join(site, url === "/" ? "index.html" : url);
      if (!existsSync(file)) return response.writeHead(404).end();
      response.setHeader("Content-Type", url.endsWith(".js") ? "text/javascript" : "text/html");
      return response.end(readFileSync(file));
    });
    await page.goto(shop.origin);
    await page.getByLabel("Service").fill(service.baseUrl);
    await page.getByLabel("API key").fill("pst_test_unknown");
    await page.getByLabel("Status").selectOption("sold");
    await page.getByRole("button", { name: "List" }).click();
    await page.getByText("The service rejected this API key. Check it.").waitFor();
    await page.getByLabel("API key").fill(service.key);
    await page.getByRole("button", { name: "List" }).click();
    await page.getByRole("button", { name: "More" }).click();
    await page.getByText("No more animals.").waitFor();
    const names = (await page.getByRole("listitem").allTextContents()).map((text) => text.replace(/^\d+ /, ""));
    expect(names).toEqual(["Ada", "Bob", "Eve"]);
    expect(complaints).toEqual([]);
  } finally {
    await browser.close();
  }
}
