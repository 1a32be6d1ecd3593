/** Checks a running server of the notes over HTTP: `BASE_URL=http://127.0.0.1:3000/v1 node conformance.ts`. */
import { runConformance } from "express-operations/conformance";
import document from "./openapi.json" with { type: "json" };

const baseUrl = process.env["BASE_URL"] ?? "http://127.0.0.1:3000/v1";
const report = await runConformance(document, { baseUrl }, { bodyLimit: 65_536 });
console.log(report);
if (Object.keys(report.failures).length > 0) process.exitCode = 1;
