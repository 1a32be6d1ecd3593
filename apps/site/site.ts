/** `pnpm site`: shows the pages of the repository as a site, or builds it. */
import { join, relative, resolve } from "node:path";
import { createProgram, PNPM, runProgram, withProgress } from "@openapi-operations/command-line";
import type * as VitePress from "vitepress";

const program = createProgram("site", {
  description: "Shows the pages of the repository as a site, with changes at once.",
  folder: import.meta.dirname,
  examples: [`${PNPM} site`, `${PNPM} site build --base /petstore/`],
}).action(show);
program
  .command("build")
  .description("writes the site to a folder")
  .option(
    "--base <path>",
    "the path below which it is served, such as /petstore/ or, for one version, /petstore/1.0/",
    "/",
  )
  .option("--out <folder>", "the folder to write to", join(import.meta.dirname, "dist"))
  .action(write);

await runProgram(program);

async function show(): Promise<void> {
  const { createServer } = await prepared();
  const server = await createServer(import.meta.dirname, { host: "127.0.0.1" });
  await server.listen();
  console.log(`The site is at ${server.resolvedUrls!.local[0]}\nCtrl+C stops it.`);
}

async function write({ base, out }: { base: string; out: string }): Promise<void> {
  const { build } = await prepared();
  await build(import.meta.dirname, { base, outDir: resolve(out) });
  console.log(`The site is in ${relative("", out)}`);
}

/** Writes the reference, and returns VitePress. Both are large, and the usage of this program needs neither. */
function prepared(): Promise<typeof VitePress> {
  return withProgress(async (report) => {
    report("Reading the types of the packages");
    const { writeReference } = await import("./src/reference.ts");
    await writeReference();
    return import("vitepress");
  });
}
