import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";

/** Clients that request a URL all the time, half of them on new connections and half on kept ones. */
export interface Clients {
  /** Stops them, and resolves with the number of responses and each failure. */
  stop: () => Promise<{ responses: number; failures: string[] }>;
}

/** Starts four clients. A failure is an error of a connection, or a status of 500 or above. */
export function startClients(url: string, headers: Record<string, string>): Clients {
  const failures: string[] = [];
  let responses = 0;
  const stopping = new AbortController();
  const send = (agent: Agent): Promise<void> =>
    new Promise((done) => {
      const sent = request(url, { agent, headers }, (response) => {
        if (response.statusCode! >= 500) failures.push(`status ${response.statusCode}`);
        text(response)
          .then(() => responses++)
          .catch((error: Error) => failures.push(error.message))
          .finally(done);
      });
      sent.on("error", (error) => {
        failures.push(`${error.message}, ${sent.reusedSocket ? "kept" : "new"} connection`);
        done();
      });
      sent.end();
    });
  const clients = [false, true, false, true].map(async (keepAlive) => {
    const agent = new Agent({ keepAlive, maxSockets: 1 });
    while (!stopping.signal.aborted) await send(agent);
    agent.destroy();
  });
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(clients);
      return { responses, failures };
    },
  };
}
