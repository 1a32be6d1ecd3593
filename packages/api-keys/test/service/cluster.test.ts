import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { answeringProcesses, sampleOf } from "@platform/test-support/program";
import { METRICS_PREFIX } from "@platform/command-line/name";
import { temporaryFolder } from "@platform/test-support/temporary";
import { describe, expect, test } from "vitest";
import { type Program, run, startProgram } from "./start.ts";

const PROCESSES = 3;

describe("WEB_CONCURRENCY", () => {
  test(`=${PROCESSES} starts as many processes, which see each other's writes and revocations at once`, async () => {
    const folder = await temporaryFolder();
    const program = await startProgram(folder, { WEB_CONCURRENCY: String(PROCESSES), METRICS_PORT: "0" });

    for (let id = 1; id <= 10; id++) {
      expect((await send(program, "POST", "/things")).status).toBe(201);
      const seen = await fromEachProcess(() => send(program, "GET", `/things/${id}`));
      expect(seen.map(({ status }) => status)).toEqual(Array(PROCESSES).fill(200));
    }
    await expect.poll(() => answeringProcesses(program).size).toBe(PROCESSES);
    const created = 'http_requests_total{operation_id="createThing",status="201"}';
    await expect.poll(() => sampleOf(program, created)).toBe(10);
    expect(await sampleOf(program, `${METRICS_PREFIX}_commit_batch_size_sum`)).toBeGreaterThanOrEqual(10);

    expect(await run(["keys", "revoke", "1"], { DATABASE_URL: `file:${folder}/data/things.db` })).toMatchObject({
      code: 0,
    });
    const refused = await fromEachProcess(() => send(program, "GET", "/things"));
    expect(refused.map(({ status }) => status)).toEqual(Array(PROCESSES).fill(401));
    expect(await program.stop()).toBe(0);
  });
});

/** Sends a request on a new connection, because each connection goes to the next process. */
async function send({ baseUrl, key }: Program, method: string, path: string): Promise<{ status: number | undefined }> {
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  const sent = request(baseUrl + path, { method, headers, agent: new Agent({ keepAlive: false }) });
  sent.end(method === "POST" ? '{"name":"Rex"}' : undefined);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  await text(response);
  return { status: response.statusCode };
}

/** Sends one request to each process, because connections go to the processes in turn. */
async function fromEachProcess<Answer>(ask: () => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let process = 0; process < PROCESSES; process++) answers.push(await ask());
  return answers;
}
