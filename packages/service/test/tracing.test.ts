import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json as readJson } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { json, startThings } from "../testing/start-things.ts";
import { document, Outage } from "../testing/things.ts";
import { startProgram } from "./things-program.ts";

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

/** OTLP's numbers for the span kind SERVER and for the status of spans. */
const SERVER = 2;
const [UNSET, ERROR] = [{ code: 0 }, { code: 2 }];

/** Starts a collector that receives OTLP over HTTP as JSON. */
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

test("each request is a span, in the caller's trace if there is one, and close() sends every span", async () => {
  const { endpoint, spans } = await startCollector();
  const service = await startThings({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } });
  await service.request("/things", json({ name: "cup" }));
  await service.request("/things", { headers: { traceparent: `00-${TRACE_ID}-${CALLER_SPAN}-01` } });
  await service.request("/things?limit=0");
  await service.request("/things", { headers: { traceparent: `00-${TRACE_ID}-${CALLER_SPAN}-00` } }); // not sampled
  await service.request(`/${"x".repeat(40)}`);
  await service.close();

  expect(spans.map(({ name }) => name)).toEqual(["createThing", "listThings", "listThings", "GET"]);
  expect(spans[1]).toMatchObject({ traceId: TRACE_ID, parentSpanId: CALLER_SPAN });
  expect(spans[2]!.traceId).not.toBe(TRACE_ID);
  expect(spans[2]!.attributes).toContainEqual({ key: "http.response.status_code", value: { intValue: 400 } });
  expect(spans[1]!.attributes).toContainEqual({ key: "url.path", value: { stringValue: "/v1/things" } });
  expect(JSON.stringify(spans)).not.toContain("x".repeat(30)); // it may be a key
});

test("a log line has the trace of its span, even if the caller sends no trace", async () => {
  const { endpoint, spans } = await startCollector();
  const service = await startThings({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } });
  await service.request("/things");
  await service.close();
  expect(spans).toHaveLength(1);
  expect(service.lines().map((line) => line["traceId"])).toEqual([spans[0]!.traceId]);
});

test("a span has method, path and status, and has the status ERROR only for 5xx", async () => {
  const { endpoint, spans } = await startCollector();
  const failures = [new Error("a fault"), new Outage("away")];
  const service = await startThings({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint },
    before: () => {
      throw failures.shift()!;
    },
  });
  await service.request("/things?limit=0");
  await service.request("/things", { token: null });
  await service.request("/nope");
  await service.request("/things");
  await service.request("/things");
  await service.close();

  expect(spans.map(({ name, status }) => [name, status])).toEqual([
    ["listThings", UNSET],
    ["listThings", UNSET],
    ["GET", UNSET],
    ["listThings", ERROR],
    ["listThings", ERROR],
  ]);
  const attributesOf = (span: Span) => Object.fromEntries(span.attributes.map(({ key, value }) => [key, value]));
  expect(spans.map((span) => span.kind)).toEqual(Array(5).fill(SERVER));
  expect(spans.map(attributesOf)).toEqual(
    [400, 401, 404, 500, 503].map((status) => ({
      "http.request.method": { stringValue: "GET" },
      "url.path": { stringValue: status === 404 ? "/v1/nope" : "/v1/things" },
      "http.response.status_code": { intValue: status },
    })),
  );
});

test.each(["", "/", "//", "/base", "/base/"])(
  "spans are sent to /v1/traces below the collector's URL with the path %j",
  async (end) => {
    const { endpoint, urls } = await startCollector();
    const service = await startThings({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint + end } });
    await service.request("/things");
    await service.close();
    expect(urls).toEqual([end.startsWith("/base") ? "/base/v1/traces" : "/v1/traces"]);
  },
);

test("spans name the service and its version", async () => {
  const { endpoint, resources } = await startCollector();
  const service = await startThings({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } });
  await service.request("/things");
  await service.close();
  expect(resources).toEqual([
    [
      { key: "service.name", value: { stringValue: "things" } },
      { key: "service.version", value: { stringValue: document.info.version } },
    ],
  ]);
});

test("requests succeed without a collector", async () => {
  await using service = await startThings({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" } });
  expect((await service.request("/things")).status).toBe(200);
});

test("the modules of traces and metrics are loaded only if they are configured", async () => {
  const report = "registerHooks({load:(u,c,n)=>(console.log('loaded:'+u),n(u,c))})";
  const preload = `--import=data:text/javascript,import{registerHooks}from'node:module';${report}`;
  const loadedWith = async (env: NodeJS.ProcessEnv): Promise<string[]> => {
    const program = await startProgram({ NODE_OPTIONS: preload, ...env });
    expect(await program.stop()).toBe(0);
    return program.output().match(/^loaded:.*\/observability\/(tracing|metrics)\..*$/gm) ?? [];
  };
  expect(await loadedWith({})).toEqual([]);
  const [host, all] = ["http://127.0.0.1:9", { METRICS_PORT: "0" }];
  expect(await loadedWith({ OTEL_EXPORTER_OTLP_ENDPOINT: host, ...all })).toHaveLength(2);
});
