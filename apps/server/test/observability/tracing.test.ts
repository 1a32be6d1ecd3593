import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { version } from "@petstore/contract";
import { temporaryFolder } from "@platform/test-support/temporary";
import { expect, onTestFinished, test } from "vitest";
import { startProgram } from "../program.ts";

test("the modules of traces and metrics are loaded only if they are configured", async () => {
  const report = "registerHooks({load:(u,c,n)=>(console.log('loaded:'+u),n(u,c))})";
  const preload = `--import=data:text/javascript,import{registerHooks}from'node:module';${report}`;
  const loadedWith = async (env: NodeJS.ProcessEnv): Promise<string[]> => {
    const program = await startProgram(await temporaryFolder(), { NODE_OPTIONS: preload, ...env });
    expect(await program.stop()).toBe(0);
    return program.output().match(/^loaded:.*\/(tracing|metrics)-.*$/gm) ?? [];
  };
  expect(await loadedWith({})).toEqual([]);
  const [host, all] = ["http://127.0.0.1:9", { METRICS_PORT: "0" }];
  expect(await loadedWith({ OTEL_EXPORTER_OTLP_ENDPOINT: host, ...all })).toHaveLength(2);
});

test("traces name the service and its version", async () => {
  const bodies: unknown[] = [];
  const collector = createServer((request, response) => {
    void json(request).then((body) => {
      bodies.push(body);
      response.end("{}");
    });
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void collector.close());
  await once(collector, "listening");
  const OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const program = await startProgram(await temporaryFolder(), { OTEL_EXPORTER_OTLP_ENDPOINT });
  await fetch(`${program.baseUrl}/pets`);
  expect(await program.stop()).toBe(0);
  const attributes = [
    { key: "service.name", value: { stringValue: "petstore" } },
    { key: "service.version", value: { stringValue: version } },
  ];
  expect(bodies[0]).toMatchObject({ resourceSpans: [{ resource: { attributes } }] });
});
