import type { Contender } from "./contenders.ts";
import type { DocumentName } from "./documents.ts";
import { type Rates, throughput } from "./throughput.ts";

const REQUEST = "GET /users/octocat/keys?per_page=10 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
const RESPONSE = /^HTTP\/1\.1 200 [^]*\[\{"id":10,"key":"ssh-ed25519 \S+ octocat"\},/;

/** Compared contenders stand side by side, so that they share what disturbs the machine for a while. */
const LINEUP: [Contender, DocumentName][] = [
  ["ours", "github"],
  ["ours", "3"],
  ["eov", "3"],
  ["ours", "1000"],
  ["eov", "1000"],
];

/** The rates of one contender with one document. */
export type Series = Rates & { contender: Contender; document: DocumentName };

/** Measures one operation of documents with 3, 1,000 and 1,223 operations. */
export async function measureOperations(rounds: number): Promise<Series[]> {
  const module = new URL("server.ts", import.meta.url);
  const entrants = LINEUP.map((args) => ({ module, args, request: REQUEST, response: RESPONSE }));
  const rates = await throughput(entrants, rounds);
  return LINEUP.map(([contender, document], at) => ({ contender, document, ...rates[at]! }));
}
