import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { parse } from "libpg-query";

/** A statement as the client sent it: its syntax tree, as PostgreSQL's own parser makes it, and the values of its parameters. */
export interface SentStatement {
  text: string;
  tree: object;
  values: (string | null)[];
}

/** The statements of one transaction, or one statement outside of transactions. */
export type SentTransaction = SentStatement[];

/**
 * Starts a proxy before a server of PostgreSQL that records what clients send through it:
 * https://www.postgresql.org/docs/18/protocol-message-formats.html
 */
export async function recordStatements(
  url: string,
): Promise<AsyncDisposable & { url: string; transactions: () => Promise<SentTransaction[]> }> {
  const { hostname, port } = new URL(url);
  const recorded: [text: string, values: (string | null)[]][][] = [];
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname);
    client.pipe(server).pipe(client);
    for (const socket of [client, server]) socket.on("error", () => {});
    const texts = new Map<string, string>();
    let rest = Buffer.alloc(0);
    let hasStarted = false;
    let transaction: (typeof recorded)[number] | undefined;
    const record = (text: string, values: (string | null)[]): void => {
      if (/^(begin|start transaction)/.test(text)) recorded.push((transaction = []));
      else if (/^(commit|rollback)$/.test(text)) transaction = undefined;
      else if (transaction === undefined) recorded.push([[text, values]]);
      else transaction.push([text, values]);
    };
    client.on("data", (data) => {
      rest = Buffer.concat([rest, data as Buffer]);
      for (;;) {
        const at = hasStarted ? 1 : 0; // the first message has no type
        if (rest.length < at + 4 || rest.length < at + rest.readInt32BE(at)) return;
        const end = at + rest.readInt32BE(at);
        const [type, body] = [hasStarted ? String.fromCharCode(rest[0]!) : "", rest.subarray(at + 4, end)];
        [rest, hasStarted] = [rest.subarray(end), true];
        if (type === "Q") record(body.toString().slice(0, -1), []);
        const [name = "", text = ""] = body.toString("latin1").split("\0", 2);
        if (type === "P") texts.set(name, text);
        if (type === "B") record(texts.get(text)!, valuesOf(body.subarray(name.length + text.length + 2)));
      }
    });
  });
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  const host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return {
    url: Object.assign(new URL(url), { host }).href,
    transactions: async () =>
      Promise.all(
        recorded.map(async (sent) =>
          Promise.all(sent.map(async ([text, values]) => ({ text, values, tree: (await parse(text)) as object }))),
        ),
      ),
    [Symbol.asyncDispose]: async () => {
      proxy.close();
    },
  };
}

/** Returns the values of a Bind message, after its names. */
function valuesOf(body: Buffer): (string | null)[] {
  let at = 2 + 2 * body.readInt16BE(0);
  const values = Array.from<string | null>({ length: body.readInt16BE(at) });
  at += 2;
  for (const n of values.keys()) {
    const length = body.readInt32BE(at);
    values[n] = length < 0 ? null : body.subarray(at + 4, at + 4 + length).toString();
    at += 4 + Math.max(0, length);
  }
  return values;
}
