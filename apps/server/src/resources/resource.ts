import type { Registration } from "@platform/storage/registration";

/** What a group of operations brings: their handlers, and the tables behind them. */
export interface Resource<Tables, AllHandlers> extends Registration<Tables> {
  handlers: AllHandlers;
}
