import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/** Debian's, the smaller one first, which has no window. */
const PROGRAMS = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];
const program = PROGRAMS.find((path) => existsSync(path));

/** Why nothing can be tested in a browser on this machine, if so. */
export const chromiumAbsence =
  program === undefined
    ? `no browser at ${PROGRAMS.join(" or ")}; on Debian: apt-get install chromium-headless-shell`
    : undefined;

/** A browser of the test's own. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: program!, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
}
