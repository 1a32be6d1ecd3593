import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { AlwaysOnSampler, BatchSpanProcessor, ParentBasedSampler, TracerProvider } from "@opentelemetry/sdk-trace";
import type { RequestHandler } from "express";
import { stateOf } from "../http/request-state.ts";
import { loggedPath } from "./request-log.ts";
import { parseTraceparent } from "./trace-context.ts";

const TIMEOUT_MS = 3_000;

/** OpenTelemetry traces of a service: a span for each request. */
export interface Tracing {
  /** Sees each request first, and leaves its trace id in its state. */
  traceRequest: RequestHandler;
  /** Sends what is not sent yet. A collector that is away is waited for 3 s. */
  close: () => Promise<void>;
}

/** Traces of the service of that name, sent to the collector at `endpoint`, by OTLP over HTTP. A caller's `traceparent` decides what is sampled; else all is. */
export function createTracing(endpoint: string, { name, version }: { name: string; version: string }): Tracing {
  const url = `${endpoint.replace(/\/+$/, "")}/v1/traces`;
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": name, "service.version": version }),
    sampler: new ParentBasedSampler({ root: new AlwaysOnSampler() }),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url, timeoutMillis: TIMEOUT_MS }) })],
  });
  const tracer = provider.getTracer(name, version);

  const traceRequest: RequestHandler = (request, response, next) => {
    const caller = parseTraceparent(request.headers["traceparent"]);
    const parent =
      caller === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...caller, isRemote: true });
    const attributes = { "http.request.method": request.method, "url.path": loggedPath(request.originalUrl) };
    const span = tracer.startSpan(request.method, { kind: SpanKind.SERVER, attributes }, parent);
    const state = stateOf(response);
    state.traceId = span.spanContext().traceId;
    response.once("close", () => {
      if (state.operationId !== undefined) span.updateName(state.operationId);
      span.setAttribute("http.response.status_code", response.statusCode);
      if (response.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    });
    next();
  };
  return { traceRequest, close: () => provider.shutdown().catch(() => {}) };
}
