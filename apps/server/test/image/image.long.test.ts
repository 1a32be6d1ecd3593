import { readFileSync } from "node:fs";
import { root } from "@platform/test-support/clone";
import { type Container, rootRuntime, type Runtime, startReady } from "@platform/test-support/image";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, type TestContext } from "vitest";
import { readConfig } from "../../src/config.ts";
import { json } from "../petstore.ts";
import { engineRuntime } from "./engine-runtime.ts";

describe.each([
  ["podman or docker", engineRuntime],
  ["a root made of Node and the libraries of this machine", () => rootRuntime(root)],
])("the image in %s", (_, makeRuntime) => {
  let made: Runtime | string | undefined;
  beforeAll(() => void (made = makeRuntime()), 1_200_000);
  afterAll(() => typeof made === "object" && made.remove());

  const runtimeOf = (context: TestContext): Runtime => (typeof made === "object" ? made : context.skip(made));

  const started = (context: TestContext, env?: Record<string, string>) => startReady(runtimeOf(context), env);
  const evaluate = ({ exec }: Container, code: string, isRoot?: boolean) =>
    exec(["node", "-e", code], isRoot).output.trim();

  test("serves with a key that its own command line creates, and keeps its data in the volume", async (context) => {
    const first = await started(context);
    const words = ["node", "/petstore/bin/service.js", "keys", "create", "--name", "shop", "--json"];
    const { key } = JSON.parse(first.exec(words).output) as { key: string };
    expect(key).toMatch(/^pst_live_/); // in production
    const headers = { Authorization: `Bearer ${key}` };
    const created = await fetch(`${first.origin}/v1/pets`, json({ name: "Rex", categoryId: 1 }, headers));
    expect(created.status).toBe(201);
    expect(first.exec(["node", "/petstore/bin/service.js", "doctor"])).toMatchObject({ code: 0 });
    expect(await first.stop("SIGTERM")).toBe(0);
    const second = await started(context);
    const listed = await fetch(`${second.origin}/v1/pets`, { headers });
    expect(await listed.json()).toEqual([await created.json()]);
    expect(await second.stop("SIGINT")).toBe(0);
  });

  test("runs as process 1, of a user without privileges", async (context) => {
    const container = await started(context);
    const status = evaluate(container, "console.log(fs.readFileSync('/proc/1/status', 'utf8'))");
    expect(status).toMatch(/^Uid:\s+1000\s+1000\s+1000\s+1000$/m);
    expect(status).toMatch(/^CapEff:\s+0+$/m);
    expect(evaluate(container, "console.log(fs.readFileSync('/proc/1/cmdline', 'utf8'))")).toMatch(/^node\0.*serve\0$/);
    const inspector = "fetch('http://127.0.0.1:9229').then(() => console.log('open'), () => console.log('closed'))";
    evaluate(container, "process.kill(1, 'SIGUSR1')");
    expect(evaluate(container, inspector)).toBe("closed");
  });

  test("cannot write anywhere but to its volume, not even as root", async (context) => {
    const container = await started(context);
    const write = (path: string) =>
      `try { fs.writeFileSync('${path}', ''); console.log('written') } catch ({ code }) { console.log(code) }`;
    expect(evaluate(container, write("/petstore/src/main.js"), true)).toBe("EROFS");
    expect(evaluate(container, write("/etc/passwd"), true)).toBe("EROFS");
    expect(evaluate(container, write("/petstore/file"))).toMatch(/^(EROFS|EACCES)$/);
    expect(evaluate(container, write("/data/file"))).toBe("written");
    const mode = "console.log((fs.statSync('/data').mode & 0o777).toString(8), fs.statSync('/data').uid)";
    expect(evaluate(container, mode)).toBe("700 1000");
  });

  test("has a health check that succeeds only while the service responds", async (context) => {
    const container = await started(context);
    expect(container.check()).toBe(0);
    expect(await runtimeOf(context).checkWithoutService()).toBe(1);
  });

  test("ends at a signal during its start, though process 1 ignores signals without a handler", async (context) => {
    const container = await runtimeOf(context).start({ WEB_CONCURRENCY: "8" });
    let isEnded = false;
    onTestFinished(async () => void (isEnded || (await container.stop("SIGKILL"))));
    const isAnswering = () =>
      fetch(`${container.origin}/healthz`).then(
        () => true,
        () => false,
      );
    await expect.poll(isAnswering, { interval: 10, timeout: 60_000 }).toBe(true); // one process serves, others still start
    expect([0, 143]).toContain(await container.stop("SIGTERM"));
    isEnded = true;
  });

  test("stops several processes at SIGTERM", async (context) => {
    const container = await started(context, { WEB_CONCURRENCY: "2" });
    expect(await container.stop("SIGTERM")).toBe(0);
    expect(container.output()).toContain('"msg":"stopped"');
  });
});

test("the port of the image is the default of the service", () => {
  const text = readFileSync(new URL("../../Containerfile", import.meta.url), "utf8");
  expect(text).toContain(`\nEXPOSE ${readConfig({}).port}\n`);
});
