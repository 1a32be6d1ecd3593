import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "@openapi-operations/service/settings";
import { openDatabase } from "@openapi-operations/storage/database";
import { isPosix } from "@platform/test-support/machine";
import { temporaryFolder } from "@platform/test-support/temporary";
import { Command } from "commander";
import { expect, onTestFinished, test, vi } from "vitest";
import type { ApiKeysTables } from "../src/keys.table.ts";
import { securityOptions } from "../src/security.ts";
import { addTokenCommand } from "../src/token.commands.ts";

const document = { openapi: "3.1.0", components: { securitySchemes: { login: { type: "oauth2" } } } };

/** Runs `token`, and returns what it prints. */
async function token(config: object, ...words: string[]): Promise<string> {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  onTestFinished(() => log.mockRestore());
  const program = new Command("things");
  addTokenCommand(program, { scopes: ["things:read", "things:write"], readConfig: () => config } as never);
  await program.parseAsync(["token", ...words], { from: "user" });
  return String(log.mock.lastCall![0]);
}

/** Validates a token as the service does. */
async function validated(given: string, config: { environment: Environment; quickstartFile: string }) {
  const { security } = await securityOptions(
    document,
    { login: "token" },
    {
      storage: { db: openDatabase<ApiKeysTables>("file:never-opened.db") },
      keyUses: { record: () => {}, close: async () => {} },
      rateLimits: { perCaller: undefined, failuresPerAddress: undefined },
      ...config,
    },
  );
  return security["login"]!(given, { res: { locals: {} } } as never);
}

test("a printed token is valid in development, with its subject and scopes", async () => {
  const quickstartFile = join(await temporaryFolder(), "data/quickstart.key");
  const config = { environment: "development", quickstartFile } as const;
  expect(await validated("x.y.z", config)).toBeUndefined();
  const all = await token(config);
  expect(await validated(all, config)).toMatchObject({
    caller: { id: "developer" },
    scopes: ["things:read", "things:write"],
  });
  const one = await token(config, "--subject", "ann", "--scopes", "things:read", "--expires-in", "1m");
  expect(await validated(one, config)).toMatchObject({ caller: { id: "ann" }, scopes: ["things:read"] });
});

test("its key is a file for the owner alone, and is kept", async () => {
  const folder = await temporaryFolder();
  const config = { environment: "development", quickstartFile: join(folder, "quickstart.key") };
  await Promise.all([token(config), token(config)]);
  const file = join(folder, "token.key");
  expect(isPosix ? statSync(file).mode & 0o777 : 0o600).toBe(0o600);
  const key = readFileSync(file, "utf8");
  await token(config);
  expect(readFileSync(file, "utf8")).toBe(key);
});

test.each(["production", "staging"] as const)(
  "in %s, no token is printed, and none of development is valid",
  async (environment) => {
    const quickstartFile = join(await temporaryFolder(), "quickstart.key");
    const printed = await token({ environment: "development", quickstartFile });
    expect(await validated(printed, { environment, quickstartFile })).toBeUndefined();
    await expect(token({ environment, quickstartFile })).rejects.toThrow("in development only");
  },
);

test("where an issuer is set, no token is printed", async () => {
  const config = { environment: "development", quickstartFile: "", tokenIssuer: {} };
  await expect(token(config)).rejects.toThrow("TOKEN_ISSUER is set");
});

test("a service without tokens loads none of their code", () => {
  const program = `import { registerHooks } from "node:module";
    registerHooks({
      resolve: (specifier, context, next) => {
        if (specifier === "jose") throw new Error("jose is loaded");
        return next(specifier, context);
      },
    });
    for (const name of ["program", "serving", "security", "schemes"]) await import(\`../src/\${name}.ts\`);`;
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: import.meta.dirname,
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  expect(status).toBe(0);
});
