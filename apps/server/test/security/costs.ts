import { document } from "@petstore/contract/document";
import { type Cost, type CostTarget, searchCosts } from "express-operations/conformance";
import { startService } from "../../testing/service.ts";

/** Factor on the promised 20 ms, as other work shares the machine; `COST_PATIENCE=1` on a quiet one. */
const PATIENCE = Number(process.env["COST_PATIENCE"] ?? 3);

/** Makes the service read the headers of proxies as far as possible. */
const TRUSTING = { TRUST_PROXY: "32" };

/** Measures requests to the operations of the contract. */
export async function costsOfContract(isMeasured?: CostTarget["isMeasured"]) {
  await using service = await startService(TRUSTING);
  const { costs, excluded, faults } = await searchCosts(document, {
    baseUrl: service.baseUrl,
    credentials: () => ({ headers: { Authorization: `Bearer ${service.key}` } }),
    limits: { head: 16_384, target: 8_192, body: 65_536 },
    maxMilliseconds: 20 * PATIENCE,
    ...(isMeasured && { isMeasured }),
  });
  print(costs);
  return { costs, faults: [...excluded.map(({ operationId, reason }) => `${operationId}: ${reason}`), ...faults] };
}

/** Measures requests to all that the service answers outside the contract. */
export async function costsBesideContract() {
  await using service = await startService(TRUSTING);
  const { origin } = new URL(service.baseUrl);
  const page = await (await fetch(`${origin}/docs`)).text();
  const [script] = /\/docs\/[^"]+/.exec(page)!;
  const paths = ["/healthz", "/readyz", "/docs", script, "/openapi.json", "/openapi.yaml", "/nothing"].map((path) => {
    return [path, { get: { operationId: path, responses: { 200: { description: "" } } } }];
  });
  const beside = { openapi: "3.1.0", paths: Object.fromEntries(paths) as object };
  const limits = { head: 16_384, target: 8_192, body: 65_536 };
  const report = await searchCosts(beside, { baseUrl: origin, limits, maxMilliseconds: 20 * PATIENCE });
  print(report.costs);
  return report;
}

function print(costs: Cost[]): void {
  const lines = costs.slice(0, 5).map(({ operationId, input, status, milliseconds }) => {
    return `${milliseconds.toFixed(2)} ms, ${status}: ${operationId}, ${input}`;
  });
  console.log([`${costs.length} inputs, the most expensive:`, ...lines].join("\n"));
}
