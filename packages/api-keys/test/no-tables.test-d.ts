/** A service without tables of its own: a handler that reads its input and uses the database compiles. */
import { type Handlers, implement } from "express-operations";
import { handlersOf, type Resource, tablesOf, type TablesOf } from "@openapi-operations/storage/registration";
import { apiKeys } from "../src/keys.table.ts";
import type { HandlerContext, Schemes } from "../src/schemes.ts";

interface Operations {
  renameThing: {
    parameters: { path: { thingId: string }; query: { silent?: boolean } };
    requestBody: { content: { "application/json": { name: string } } };
    responses: { 200: { content: { "application/json": { name: string } } } };
  };
  countKeys: { responses: { 200: { content: { "application/json": number } } } };
}

type Context<OwnTables = unknown> = HandlerContext<typeof SCHEMES, OwnTables>;

const SCHEMES = { bearerAuth: "apiKey" } as const satisfies Schemes;

const thingsHandlers = {
  async renameThing({ path, query, body, caller, context }) {
    const owner = await context.db.selectFrom("api_keys").select("name").where("id", "=", caller.id).executeTakeFirst();
    const name = `${path.thingId} ${body.name} ${owner?.name}`;
    if (query.silent !== true)
      await context.write((trx) =>
        trx.deleteFrom("idempotency_keys").where("api_key_id", "=", caller.id).executeTakeFirst(),
      );
    return { status: 200, body: { name } };
  },
} satisfies Handlers<Pick<Operations, "renameThing">, Context>;

const keysHandlers = {
  async countKeys({ context: { db } }) {
    const { count } = await db
      .selectFrom("api_keys")
      .select(db.fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    return { status: 200, body: count };
  },
} satisfies Handlers<Pick<Operations, "countKeys">, Context>;

const things: Resource<typeof thingsHandlers> = { handlers: thingsHandlers, tables: {} };
const keys: Resource<typeof keysHandlers> = { handlers: keysHandlers, tables: {} };
const REGISTRATIONS = [apiKeys, things, keys] as const;

type Tables = TablesOf<(typeof REGISTRATIONS)[number]>;

export const TABLES = tablesOf(REGISTRATIONS);

const handlers: Handlers<Operations, Context<Tables>> = handlersOf(REGISTRATIONS);

export const implementation = (context: Context<Tables>["context"]) =>
  implement<Operations, Context<Tables>>()({
    document: { openapi: "3.1.0" },
    handlers,
    context,
    security: { bearerAuth: () => undefined },
  });
