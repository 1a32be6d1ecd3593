import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { AlwaysOnSampler, BatchSpanProcessor, ParentBasedSampler, TracerProvider } from "@opentelemetry/sdk-trace";
import type { Request, Response } from "express";
import { loggedPath, type RequestState } from "../http/stages.ts";
import { parseTraceparent } from "./request-log.ts";

const TIMEOUT_MS = 3_000;

/** OpenTelemetry traces of a service, with one span per request. */
export interface Tracing {
  /** Starts a span for a request that arrives, and records its trace id in the request's state. */
  traceRequest: (request: Request, response: Response) => void;
  /** Sends the remaining spans. It waits at most 3 s for an unreachable collector. */
  close: () => Promise<void>;
}

/**
 * Traces requests and sends the spans to the collector at `endpoint`, by OTLP over HTTP. A caller's `traceparent` decides whether
 * its request is sampled. All other requests are sampled.
 */
export function createTracing(endpoint: string, { name, version }: { name: string; version: string }): Tracing {
  const url = `${endpoint.replace(/\/+$/, "")}/v1/traces`;
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": name, "service.version": version }),
    sampler: new ParentBasedSampler({ root: new AlwaysOnSampler() }),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url, timeoutMillis: TIMEOUT_MS }) })],
  });
  const tracer = provider.getTracer(name, version);

  const traceRequest: Tracing["traceRequest"] = (request, response) => {
    const caller = parseTraceparent(request.headers["traceparent"]);
    const parent =
      caller === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...caller, isRemote: true });
    const attributes = { "http.request.method": request.method, "url.path": loggedPath(request.originalUrl) };
    const span = tracer.startSpan(request.method, { kind: SpanKind.SERVER, attributes }, parent);
    const state = response.locals as RequestState;
    state.traceId = span.spanContext().traceId;
    response.once("close", () => {
      if (state.operationId !== undefined) span.updateName(state.operationId);
      span.setAttribute("http.response.status_code", response.statusCode);
      if (response.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    });
  };
  return { traceRequest, close: () => provider.shutdown().catch(() => {}) };
}
