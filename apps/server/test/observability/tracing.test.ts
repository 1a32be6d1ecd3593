import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json as readJson } from "node:stream/consumers";
import { document } from "@petstore/contract/document";
import { pathOfFileUrl } from "@platform/storage/url";
import { temporaryFolder } from "@platform/test-support/temporary";
import Sqlite from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { startService } from "../../testing/service.ts";
import { startProgram } from "../program.ts";

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const CALLER_SPAN = "b7ad6b7169203331";

interface Span {
  name: string;
  traceId: string;
  parentSpanId?: string;
  kind: number;
  attributes: { key: string; value: object }[];
  status: { code: number };
}

/** The kind of a span for a request that is served, and the status of spans, as OTLP numbers them. */
const SERVER = 2;
const [UNSET, ERROR] = [{ code: 0 }, { code: 2 }];

/** Takes OTLP over HTTP as JSON, as a collector does. */
async function startCollector(): Promise<{
  endpoint: string;
  spans: Span[];
  urls: string[];
  resources: object[];
}> {
  const [spans, urls, resources]: [Span[], string[], object[]] = [[], [], []];
  const server = createServer((request, response) => {
    void readJson(request).then((body) => {
      const { resourceSpans } = body as {
        resourceSpans: { resource: { attributes: object }; scopeSpans: { spans: Span[] }[] }[];
      };
      urls.push(request.url!);
      resources.push(...resourceSpans.map(({ resource }) => resource.attributes));
      if (request.url === "/v1/traces") {
        spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
      }
      response.writeHead(200, { "Content-Type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void server.close());
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans, urls, resources };
}

test("each request is a span, in the caller's trace where there is one, and all are sent before the end", async () => {
  const { endpoint, spans } = await startCollector();
  const service = await startService({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
  await service.addPet();
  await service.request("/pets/1", { headers: { traceparent: `00-${TRACE_ID}-${CALLER_SPAN}-01` } });
  await service.request("/pets/404");
  await service.request("/pets/1", { headers: { traceparent: `00-${TRACE_ID}-${CALLER_SPAN}-00` } }); // not sampled
  await service.request(`/pets/${service.key}`);
  await service[Symbol.asyncDispose]();

  expect(spans.map(({ name }) => name)).toEqual(["createPet", "getPet", "getPet", "getPet"]);
  expect(spans[1]).toMatchObject({ traceId: TRACE_ID, parentSpanId: CALLER_SPAN });
  expect(spans[2]!.traceId).not.toBe(TRACE_ID);
  expect(spans[2]!.attributes).toContainEqual({ key: "http.response.status_code", value: { intValue: 404 } });
  expect(spans[1]!.attributes).toContainEqual({ key: "url.path", value: { stringValue: "/v1/pets/1" } });
  expect(JSON.stringify(spans)).not.toContain(service.key);
});

test("a span says method, path and status, and failed only where the service did", async () => {
  const { endpoint, spans } = await startCollector();
  const service = await startService({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
  await service.request("/pets?limit=0");
  await service.request("/pets", { key: null });
  await service.request("/nope");
  const file = new Sqlite(pathOfFileUrl(service.databaseUrl));
  file.exec("alter table pets rename to gone");
  await service.request("/pets");
  file.exec("alter table gone rename to pets; alter table api_keys rename to gone");
  await service.request("/pets");
  file.close();
  await service[Symbol.asyncDispose]();

  expect(spans.map(({ name, status }) => [name, status])).toEqual([
    ["listPets", UNSET],
    ["listPets", UNSET],
    ["GET", UNSET],
    ["listPets", ERROR],
    ["listPets", ERROR],
  ]);
  const attributesOf = (span: Span) => Object.fromEntries(span.attributes.map(({ key, value }) => [key, value]));
  expect(spans.map((span) => span.kind)).toEqual(Array(5).fill(SERVER));
  expect(spans.map(attributesOf)).toEqual(
    [400, 401, 404, 500, 503].map((status) => ({
      "http.request.method": { stringValue: "GET" },
      "url.path": { stringValue: status === 404 ? "/v1/nope" : "/v1/pets" },
      "http.response.status_code": { intValue: status },
    })),
  );
});

test.each(["", "/", "//", "/base", "/base/"])(
  "spans are sent to /v1/traces below the collector's URL, where that ends in %j",
  async (end) => {
    const { endpoint, urls } = await startCollector();
    const service = await startService({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint + end });
    await service.addPet();
    await service[Symbol.asyncDispose]();
    expect(urls).toEqual([end.startsWith("/base") ? "/base/v1/traces" : "/v1/traces"]);
  },
);

test("the collector is told which program and version the spans are of", async () => {
  const { endpoint, resources } = await startCollector();
  const service = await startService({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
  await service.addPet();
  await service[Symbol.asyncDispose]();
  expect(resources).toEqual([
    [
      { key: "service.name", value: { stringValue: "petstore" } },
      { key: "service.version", value: { stringValue: document.info.version } },
    ],
  ]);
});

test("a collector that is away does not disturb", async () => {
  await using service = await startService({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" });
  expect(await service.addPet()).toMatchObject({ id: 1 });
});

test("nothing of it, nor of metrics and limits, is loaded unless it is asked for", async () => {
  const report = "registerHooks({load:(u,c,n)=>(console.log('loaded:'+u),n(u,c))})";
  const preload = `--import=data:text/javascript,import{registerHooks}from'node:module';${report}`;
  const loadedWith = async (env: NodeJS.ProcessEnv): Promise<string[]> => {
    const program = await startProgram(await temporaryFolder(), { NODE_OPTIONS: preload, ...env });
    expect(await program.stop()).toBe(0);
    return program.output().match(/^loaded:.*\/(tracing|metrics|rate-limiter-flexible)-.*$/gm) ?? [];
  };
  expect(await loadedWith({})).toEqual([]);
  const [host, all] = ["http://127.0.0.1:9", { METRICS_PORT: "0", RATE_LIMIT: "1/1" }];
  expect(await loadedWith({ OTEL_EXPORTER_OTLP_ENDPOINT: host, ...all })).toHaveLength(3);
});
