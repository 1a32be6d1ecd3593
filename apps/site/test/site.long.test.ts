import { execFileSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { openPage, violations } from "@platform/test-support/browser";
import { root } from "@platform/test-support/clone";
import { chromiumAbsence, launchChromium, needsTool } from "@platform/test-support/machine";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

const BASE = "/petstore/1.0/";
const FILES = "https://github.com/octocat/petstore/blob/main/";
const TYPES: Record<string, string> = { ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml" };
/** A folder for screenshots, to look at. */
const shots = process.env["SCREENSHOTS"];

/** A page of each form: prose, tables, code, diagrams, a tutorial, a generated one. */
const PAGES = [
  "",
  "ARCHITECTURE",
  "apps/server/docs/operations",
  "openapi/adding-an-operation",
  "packages/express-operations/",
  "reference/express-operations/",
];
/** The axe rules that the list of results in VitePress 2.0.0-alpha.21 breaks, and that its configuration cannot fix. */
const OF_RESULTS = new Set(["label-content-name-mismatch", "nested-interactive"]);
const SIZES = [
  ["390", { width: 390, height: 844 }],
  ["1280", { width: 1280, height: 800 }],
] as const;

let folder: string;
let server: Server;
let site: string;
let browser: Browser | undefined;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "site-"));
  execFileSync(process.execPath, [join(root, "apps/site/site.ts"), "build", "--base", BASE, "--out", folder], {
    env: {
      ...process.env,
      GITHUB_SERVER_URL: "https://github.com",
      GITHUB_REPOSITORY: "octocat/petstore",
      GITHUB_SHA: "main",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  server = createServer((request, response) => {
    const file = fileOf(new URL(request.url!, site).pathname);
    if (file === undefined) return void response.writeHead(404).end();
    return void response.setHeader("Content-Type", TYPES[extname(file)] ?? "text/html").end(readFileSync(file));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  site = `http://127.0.0.1:${(server.address() as AddressInfo).port}${BASE}`;
  if (chromiumAbsence === undefined) browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  server?.close();
  rmSync(folder, { recursive: true });
});

/** Returns the file that GitHub Pages would send: a folder has an index, and a page needs no ending. */
function fileOf(path: string): string | undefined {
  if (!path.startsWith(BASE)) return undefined;
  const file = join(folder, decodeURIComponent(path.slice(BASE.length)));
  return [join(file, "index.html"), file, `${file}.html`].find((each) => existsSync(each) && statSync(each).isFile());
}

test("links lead to every page, and each link leads to a page, to one of its headings, or to a file of the repository", async () => {
  const pages = new Map<string, { ids: Set<string>; links: string[] }>();
  const broken: string[] = [];
  const queue = [site];
  for (let url = queue.pop(); url !== undefined; url = queue.pop()) {
    if (pages.has(url)) continue;
    const response = await fetch(url);
    if (response.status !== 200) broken.push(url);
    const html = await response.text();
    const links = attributes(html, /<a\b[^>]*? href="([^"]*)"/g).map((href) => new URL(href, url).href);
    pages.set(url, { ids: new Set(attributes(html, / id="([^"]*)"/g)), links });
    queue.push(...links.filter((link) => link.startsWith(site)).map((link) => link.replace(/#.*/, "")));
  }
  for (const [page, { links }] of pages) {
    for (const link of links) {
      const [, address = "", anchor] = /^([^#]*)(?:#(.*))?$/.exec(link)!;
      const leads = link.startsWith(FILES)
        ? existsSync(join(root, decodeURI(address.slice(FILES.length))))
        : !link.startsWith(site) || anchor === undefined || pages.get(address)!.ids.has(decodeURIComponent(anchor));
      if (!leads) broken.push(`${page} links to ${link}`);
    }
  }
  expect(broken).toEqual([]);
  const written = globSync("**/*.html", { cwd: folder }).filter((file) => file !== "404.html");
  const reached = new Set(Array.from(pages.keys(), (url) => fileOf(new URL(url).pathname)));
  expect(written.filter((file) => !reached.has(join(folder, file)))).toEqual([]);
  expect(written.length).toBeGreaterThan(150);
  expect([...pages.values()].flatMap(({ links }) => links)).toContain(`${FILES}openapi/openapi.yaml`);
});

function attributes(html: string, pattern: RegExp): string[] {
  return Array.from(html.matchAll(pattern), ([, value]) => value!.replaceAll("&amp;", "&"));
}

describe("in Chromium", () => {
  beforeEach((context) => needsTool(context, chromiumAbsence));

  test.each(SIZES)(
    "axe finds nothing at %s pixels in either scheme, and nothing overflows",
    async (width, viewport) => {
      const { page, complaints } = await openPage(browser!, site, { viewport });
      for (const path of PAGES) {
        await page.emulateMedia({ colorScheme: "light" });
        await page.goto(site + path);
        await page.locator("html:not(.dark) h1").waitFor();
        await shoot(page, `light-${width}-${path.replaceAll("/", "_")}`);
        const part = path === "" ? "body" : "main"; // what is around it is the same everywhere
        expect(await violations(page, part), path).toEqual([]);
        expect(await page.evaluate("document.documentElement.scrollWidth"), path).toBeLessThanOrEqual(viewport.width);
        await page.emulateMedia({ colorScheme: "dark" });
        await page.locator("html.dark h1").waitFor();
        await shoot(page, `dark-${width}-${path.replaceAll("/", "_")}`);
        expect(await violations(page, part, ["color-contrast"]), path).toEqual([]);
      }
      expect(complaints).toEqual([]);
    },
  );

  test("the search finds a guide, with the keyboard alone", async () => {
    const { page, complaints } = await openPage(browser!, site);
    await page.goto(site);
    await page.locator("h1").waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("searchbox").waitFor();
    await page.keyboard.type("receive webhooks");
    await page.locator(".result").first().waitFor();
    await shoot(page, "search");
    expect((await violations(page, "body")).filter(({ id }) => !OF_RESULTS.has(id))).toEqual([]);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: /receive webhooks/i }).waitFor();
    expect(complaints).toEqual([]);
  });
});

async function shoot(page: Page, name: string): Promise<void> {
  if (shots !== undefined) await page.screenshot({ path: join(shots, `${name}.png`) });
}
