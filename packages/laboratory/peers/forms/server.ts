import type { AddressInfo } from "node:net";
import formbody from "@fastify/formbody";
import express, { type Express } from "express";
import * as OpenApiValidator from "express-openapi-validator";
import { implement } from "express-operations";
import { fastify } from "fastify";
import glue from "fastify-openapi-glue";
import { OpenAPIBackend } from "openapi-backend";
import { FORMS } from "./document.ts";
import type { Reader } from "../../express-operations/forms.ts";

const BODY = { sid: "SM1" };

/** The libraries, each in its documented setup. Each serves the forms, and returns its port. */
const READERS: Record<Reader, () => Promise<number>> = {
  "express-operations": () => {
    const reply = () => ({ status: 200, body: BODY });
    const handlers = { createMessage: reply, createMessageOfParts: reply };
    return listen(express().use(implement()({ document: FORMS, handlers: handlers as never })));
  },
  "express-openapi-validator": () => {
    const app = express()
      .use(express.urlencoded({ extended: false }))
      .use(OpenApiValidator.middleware({ apiSpec: FORMS as never }))
      .use((_request, response) => void response.json(BODY));
    return listen(app);
  },
  "openapi-backend": async () => {
    const api = new OpenAPIBackend({ definition: FORMS as never, ajvOpts: { strict: false } });
    api.register({
      createMessage: () => ({ status: 200 }),
      validationFail: () => ({ status: 400 }),
      notFound: () => ({ status: 404 }),
    } as never);
    await api.init();
    const app = express()
      .use(express.urlencoded({ extended: true }))
      .use(async ({ method, path, query, headers, body }, response) => {
        const request = { method, path, query: query as never, headers: headers as never, body: body as unknown };
        const { status } = (await api.handleRequest(request)) as { status: number };
        response.status(status).json(BODY);
      });
    return listen(app);
  },
  "fastify-openapi-glue": async () => {
    const app = fastify({ ajv: { customOptions: { strict: false } } });
    await app.register(formbody);
    const serviceHandlers = { createMessage: () => BODY, createMessageOfParts: () => BODY };
    await app.register(glue as never, { specification: FORMS, serviceHandlers } as never);
    return Number(new URL(await app.listen({ port: 0, host: "127.0.0.1" })).port);
  },
};

async function listen(app: Express): Promise<number> {
  const server = app.listen(0, "127.0.0.1");
  await new Promise((listening) => server.once("listening", listening));
  return (server.address() as AddressInfo).port;
}

/** One library in a process of its own: sends its port, and its CPU time when asked. */
const [reader] = process.argv.slice(2) as [Reader];
process.send!(await READERS[reader]());
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send!((user + system) / 1e6);
});
process.on("disconnect", () => process.exit());
