import { execFile } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { needsTool } from "@platform/test-support/machine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startService } from "./petstore.ts";

const run = promisify(execFile);
const PROGRAMS = join(import.meta.dirname, "generated-clients");
const TOOLS = resolve(import.meta.dirname, "../node_modules/.cache/generated-clients");
const CONTRACT = resolve(import.meta.dirname, "../../../openapi/openapi.yaml");
const PYTHON = join(TOOLS, "python/bin/python");
const [GENERATOR = ""] = globSync(
  join(TOOLS, "python/lib/*/site-packages/openapi_generator_cli/openapi-generator.jar"),
);

/** A client in another language: the files that it needs, and a function that creates it in a folder and returns its command. */
interface GeneratedClient {
  needs: string[];
  make: (folder: string) => Promise<[command: string, ...given: string[]]>;
}

const CLIENTS: Record<string, GeneratedClient> = {
  "Python by openapi-generator": {
    needs: [PYTHON, GENERATOR, commandPath("java")],
    make: async (folder) => {
      const options = ["--generator-name", "python", "--package-name", "petstore_client"];
      await run("java", ["-jar", GENERATOR, "generate", "--input-spec", CONTRACT, "--output", folder, ...options]);
      return compiledPython(folder, "use_openapi_generator.py");
    },
  },
  "Python by openapi-python-client": {
    needs: [PYTHON],
    make: async (folder) => {
      const generator = join(TOOLS, "python/bin/openapi-python-client");
      const output = join(folder, "petstore_client");
      await run(generator, ["generate", "--path", CONTRACT, "--output-path", output, "--meta", "none"]);
      return compiledPython(folder, "use_openapi_python_client.py");
    },
  },
  "Go by oapi-codegen": {
    needs: [join(TOOLS, "oapi-codegen")],
    make: async (folder) => {
      await mkdir(join(folder, "client"));
      const options = ["-generate", "client,models", "-package", "client", "-o", join(folder, "client/client.go")];
      await run(join(TOOLS, "oapi-codegen"), [...options, CONTRACT]);
      for (const file of ["go.mod", "go.sum", "main.go"]) await cp(join(PROGRAMS, file), join(folder, file));
      const env = { ...process.env, GOPROXY: "off", GOFLAGS: "-mod=mod" };
      await run("go", ["vet", "./..."], { cwd: folder, env });
      await run("go", ["build", "-o", "program", "."], { cwd: folder, env });
      return [join(folder, "program")];
    },
  },
  "Java by openapi-generator": {
    needs: [GENERATOR, commandPath("javac"), join(TOOLS, "java")],
    make: async (folder) => {
      const options = ["--generator-name", "java", "--library", "native", "--additional-properties"];
      const properties =
        "invokerPackage=petstore,apiPackage=petstore.api,modelPackage=petstore.model,openApiNullable=false";
      const arguments_ = ["generate", "--input-spec", CONTRACT, "--output", folder, ...options, properties];
      await run("java", ["-jar", GENERATOR, ...arguments_]);
      const sources = globSync(join(folder, "src/main/java/**/*.java"));
      const classPath = `${join(TOOLS, "java")}/*:${join(folder, "classes")}`;
      const compile = ["-encoding", "UTF-8", "-cp", classPath, "-d", join(folder, "classes")];
      await run("javac", [...compile, ...sources, join(PROGRAMS, "Main.java")]);
      return ["java", "-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8", "-cp", classPath, "Main"];
    },
  },
};

/** Compiles every module, which imports alone would not. */
async function compiledPython(folder: string, program: string): Promise<[string, ...string[]]> {
  await cp(join(PROGRAMS, program), join(folder, program));
  await run(PYTHON, ["-m", "compileall", "-q", folder]);
  return [PYTHON, join(folder, program)];
}

const MISSING = "its generator is not here: apps/server/test/generated-clients/install.sh installs what it needs";

/** Returns the path of a command on PATH, or a path that does not exist. */
function commandPath(name: string): string {
  const folders = (process.env["PATH"] ?? "").split(":");
  return folders.map((folder) => join(folder, name)).find(existsSync) ?? join(TOOLS, "missing", name);
}

function isMissing(needs: string[]): boolean {
  return needs.some((file) => !existsSync(file));
}

describe("a generated client", () => {
  let folder: string;
  beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "generated-clients-"))));
  afterAll(() => rm(folder, { recursive: true }));

  const clients = Object.entries(CLIENTS);
  test.for(clients)(
    "in %s lists, pages, creates once and handles errors",
    { timeout: 300_000 },
    async ([name, { needs, make }], context) => {
      needsTool(context, isMissing(needs) ? MISSING : undefined);
      await using service = await startService();
      const own = join(folder, name.replaceAll(" ", "-"));
      await mkdir(own);
      const [command, ...given] = await make(own);
      const env = { ...process.env, BASE_URL: service.baseUrl, API_KEY: service.key, PYTHONUTF8: "1" };
      const { stdout } = await run(command, given, { env });
      expect(JSON.parse(stdout)).toEqual({
        "created once": true,
        replayed: "true",
        "request id": true,
        sold: ["Mia", "Zoë 🐈"],
        all: ["Rex", "Mia", "Zoë 🐈", "Tim"],
        "304": [304, null],
        "400": [400, "invalid_request"],
        "401": [401, "unauthorized"],
        "404": [404, "not_found"],
      });
    },
  );

  test("has a contract that openapi-spec-validator accepts", async (context) => {
    needsTool(context, isMissing([PYTHON]) ? MISSING : undefined);
    const { stdout } = await run(PYTHON, ["-m", "openapi_spec_validator", CONTRACT]);
    expect(stdout.trim()).toBe(`${CONTRACT}: OK`);
  });
});
