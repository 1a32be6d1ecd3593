import type { Registration } from "@platform/storage/registration";

/** What a group of operations brings: their handlers, and the tables behind them, if any. */
export interface Resource<AllHandlers, Tables = unknown> extends Registration<Tables> {
  handlers: AllHandlers;
}
