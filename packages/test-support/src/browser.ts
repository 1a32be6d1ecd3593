import { type AxeResults, source as axe } from "axe-core";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { onTestFinished } from "vitest";

/** A page in a context of its own, which is closed after the test. */
export interface OpenedPage {
  page: Page;
  context: BrowserContext;
  /** The warnings and errors of its console, its own errors, and its requests to other addresses, which are blocked. */
  complaints: string[];
}

/** Opens an empty page that may request only what is below an address. */
export async function openPage(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<OpenedPage> {
  const context = await browser.newContext({ reducedMotion: "reduce", ...options });
  onTestFinished(() => context.close());
  const complaints: string[] = [];
  await context.route(
    (url) => !url.href.startsWith(address) && url.protocol !== "data:",
    (route) => {
      complaints.push(`asked for ${route.request().url()}`);
      return route.abort();
    },
  );
  const page = await context.newPage();
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.setDefaultTimeout(60_000);
  return { page, context, complaints };
}

/** Returns the axe rules that a part of the page breaks, with the elements. `runOnly` limits the rules. */
export async function violations(
  page: Page,
  part: string,
  runOnly?: string[],
): Promise<{ id: string; elements: string[] }[]> {
  await page.evaluate(axe); // by the protocol of the tests, which the policy of the page does not concern
  const options = JSON.stringify({ resultTypes: ["violations"], runOnly });
  const { violations: broken } = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(part)}, ${options})`);
  return broken.map(({ id, nodes }) => ({ id, elements: nodes.slice(0, 5).map(({ html }) => html.slice(0, 200)) }));
}
