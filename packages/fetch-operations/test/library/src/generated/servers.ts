// Generated from the contract by fetch-operations. Do not edit.
import { fillServer } from "fetch-operations";

/** The servers of the contract, in its order. Each returns a `baseUrl`; a variable without a value has its default. */
export const servers = [
  /**
   * Production.
   * Choose the nearest region.
   */
  (variables: { "region"?: "eu" | "us"; "port"?: string } = {}): string => fillServer("https://{region}.library.example:{port}/v2", { "region": "eu", "port": "443", ...variables }),
  (): string => "http://127.0.0.1:8080/v2",
] as const;
