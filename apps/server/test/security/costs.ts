import { document } from "@petstore/contract/document";
import { type CostReport, type CostTarget, searchCosts } from "express-operations/conformance";
import { startService } from "../service.ts";

/** A machine that does other work as well may take this many times what is promised. */
const PATIENCE = process.env["CI"] === undefined ? 1 : 3;

/**
 * Prints the dearest of the inputs that a client chooses the size of, and gives the faults: of a share of the contract's
 * inputs, or of all, and then also of what the service answers outside the contract.
 */
export async function costFaults(share: number): Promise<string[]> {
  await using service = await startService();
  const target: CostTarget = {
    baseUrl: service.baseUrl,
    credentials: () => ({ headers: { Authorization: `Bearer ${service.key}` } }),
    limits: { head: 16_384, body: 65_536 },
    most: 20 * PATIENCE,
    measures: () => Math.random() < share,
  };
  const { origin } = new URL(service.baseUrl);
  const reports = [await searchCosts(document, target)];
  if (share === 1) reports.push(await searchCosts(await besideTheContract(origin), { ...target, baseUrl: origin }));
  print(reports.flatMap(({ costs }) => costs));
  const excluded = reports.flatMap((report) =>
    report.excluded.map(({ operationId, reason }) => `${operationId}: ${reason}`),
  );
  return [...excluded, ...reports.flatMap(({ faults }) => faults)];
}

/** What the service answers outside the contract, as a document. */
async function besideTheContract(origin: string) {
  const page = await (await fetch(`${origin}/docs`)).text();
  const [script] = /\/docs\/[^"]+/.exec(page)!;
  const paths = ["/healthz", "/readyz", "/docs", script, "/openapi.json", "/openapi.yaml", "/nothing"].map((path) => {
    return [path, { get: { operationId: path, responses: { 200: { description: "" } } } }];
  });
  return { openapi: "3.1.0", paths: Object.fromEntries(paths) as object };
}

function print(costs: CostReport["costs"]): void {
  const dearest = costs.toSorted((one, other) => other.milliseconds - one.milliseconds).slice(0, 5);
  const lines = dearest.map(({ operationId, input, status, milliseconds }) => {
    return `${milliseconds.toFixed(2)} ms, ${status}: ${operationId}, ${input}`;
  });
  console.log([`${costs.length} inputs, the dearest:`, ...lines].join("\n"));
}
