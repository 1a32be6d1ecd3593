import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** Starts a proxy that changes the text of each response, to imitate a faulty service. */
export async function breakAnswers(
  origin: string,
  change: (body: string) => string,
): Promise<AsyncDisposable & { origin: string }> {
  const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const headers = new Headers(request.headers as Record<string, string>);
    for (const name of ["host", "connection", "content-length"]) headers.delete(name);
    const body = await buffer(request);
    const answer = await fetch(new URL(request.url!, origin), {
      method: request.method!,
      headers,
      ...(body.length > 0 && { body }),
    });
    const changed = change(await answer.text());
    const kept = [...answer.headers].filter(([name]) => !/^(connection|keep-alive|content-length)$/.test(name));
    response.writeHead(answer.status, kept.flat()).end(changed);
  };
  const server = createServer((request, response) => {
    forward(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
