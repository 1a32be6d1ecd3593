import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/** The paths on Debian, first the smaller program, which has no window; the last one is that of GitHub's Ubuntu. */
const PROGRAMS = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium", "/usr/bin/google-chrome"];
const program = PROGRAMS.find((path) => existsSync(path));

/** Why browser tests cannot run on this machine; undefined if they can. */
export const chromiumAbsence =
  program === undefined
    ? `no browser at ${PROGRAMS.join(" or ")}; on Debian: apt-get install chromium-headless-shell`
    : undefined;

/** Starts a browser for one test. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: program!, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
}
