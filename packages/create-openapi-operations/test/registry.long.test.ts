import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freshEnvironment, root } from "@platform/test-support/clone";
import { pack, pnpmPath } from "@platform/test-support/pnpm";
import { startProgram } from "@platform/test-support/program";
import { packAll } from "@platform/test-support/published";
import { type Registry, startRegistry } from "@platform/test-support/registry";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openWorkshop, type Workshop } from "./museum.ts";

describe("from a registry", { timeout: 300_000 }, () => {
  let registry: Registry;
  let workshop: Workshop;
  let tarballs: string[];

  beforeAll(async () => {
    workshop = openWorkshop();
    registry = await startRegistry();
    const own = join(workshop.folder, "create.tgz");
    pack(join(root, "packages/create-openapi-operations"), own);
    tarballs = [...(await packAll()).values(), own];
    for (const tarball of tarballs) await registry.publish(tarball);
    // The machine's Node and npm alone, with empty stores and caches.
    const { PATH, HOME, LANG } = freshEnvironment();
    Object.keys(workshop.env).forEach((name) => delete workshop.env[name]);
    Object.assign(workshop.env, {
      PATH,
      HOME,
      LANG,
      npm_config_registry: `${registry.url}/`,
      pnpm_config_registry: `${registry.url}/`,
      npm_config_cache: join(workshop.folder, "npm"),
      pnpm_config_store_dir: join(workshop.folder, "store"),
      pnpm_config_cache_dir: join(workshop.folder, "cache"),
      pnpm_config_minimum_release_age: "0",
      DO_NOT_TRACK: "1",
    });
  }, 300_000);
  afterAll(async () => {
    await registry[Symbol.asyncDispose]();
    workshop[Symbol.dispose]();
  });

  const read = (file: string) => readFileSync(join(workshop.folder, file), "utf8");

  test("npm creates a service, whose two commands set everything up", async () => {
    const words = ["create", "--yes", "openapi-operations@latest", "museum", "--", "--contract", "museum.json"];
    const printed = workshop.run(".", "npm", ...words);
    expect(printed).toContain("Museum 1.0.0: 10 operations in museum");
    expect(printed).not.toContain("failed");
    const manifest = JSON.parse(read("museum/apps/server/package.json")) as { dependencies: Record<string, string> };
    expect(manifest.dependencies["express-operations"]).toMatch(/^\^\d/);
    expect(workshop.run("museum", "npx", "-y", "pnpm@12.21.0", "test")).toMatch(/Tasks: +7 successful, 7 total/);
    const npx = execFileSync("sh", ["-c", "command -v npx"], { env: workshop.env, encoding: "utf8" }).trim();
    const service = await startProgram([npx, "-y", "pnpm@12.21.0", "start"], {
      cwd: join(workshop.folder, "museum"),
      env: { ...workshop.env, PORT: "0" },
    });
    expect((await fetch(`${service.baseUrl}/hours`)).status).toBe(501);
    await service.stop();
  });

  test("pnpm update installs a next version of the whole platform", async () => {
    for (const tarball of tarballs.slice(0, -1)) await registry.publish(nextVersion(tarball));
    workshop.run(
      "museum",
      "npx",
      "-y",
      "pnpm@12.21.0",
      "update",
      "-r",
      "@openapi-operations/*",
      "*-operations",
      "openapi-contract",
      "openapi-document",
    );
    const lock = read("museum/pnpm-lock.yaml");
    const versions = new Set(
      Array.from(
        lock.matchAll(
          /^ {2}'?(?:@openapi-operations\/[\w-]+|\w+-operations|openapi-(?:contract|document))@(\d[\d.]*)/gm,
        ),
        ([, version]) => version,
      ),
    );
    expect([...versions]).toEqual(["0.1.1"]);
    expect(workshop.run("museum", "npx", "-y", "pnpm@12.21.0", "test")).toMatch(/Tasks: +7 successful, 7 total/);
  });

  test("a service with the platform in vendor changes to the registry by the command of its README", () => {
    const { PATH } = workshop.env;
    workshop.env["PATH"] = `${join(pnpmPath(), "..")}:${PATH}`;
    workshop.create("gallery", "--contract", "museum.json");
    workshop.env["PATH"] = PATH;
    const [, command = ""] = /^(rm -r vendor .*)$/m.exec(read("gallery/README.md"))!;
    workshop.run("gallery", "sh", "-c", command);
    expect(read("gallery/pnpm-workspace.yaml")).not.toContain("vendor");
    expect(read("gallery/pnpm-lock.yaml")).not.toContain("vendor");
    expect(workshop.run("gallery", "npx", "-y", "pnpm@12.21.0", "test")).toMatch(/Tasks: +7 successful, 7 total/);
  });

  /** Returns a tarball with the same package, and 0.1.1 instead of 0.1.0. */
  function nextVersion(tarball: string): string {
    const folder = join(workshop.folder, "next");
    execFileSync("rm", ["-rf", folder]);
    mkdirSync(folder);
    execFileSync("tar", ["-xzf", tarball, "-C", folder]);
    const file = join(folder, "package/package.json");
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(/(?<="\^?)0\.1\.0"/g, '0.1.1"'));
    const next = join(folder, "next.tgz");
    execFileSync("tar", ["-czf", next, "-C", folder, "package"]);
    return next;
  }
});
