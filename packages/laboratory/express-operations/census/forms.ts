import type { ContenderName } from "./contenders.ts";
import { FORM_REQUESTS, type FormKind } from "./forms-document.ts";
import { type Rates, throughput } from "../throughput.ts";

/** The libraries that read each kind of form. The others reject it, or need another library for it. */
const READERS: Record<FormKind, ContenderName[]> = {
  urlencoded: ["express-operations", "express-openapi-validator", "openapi-backend", "fastify-openapi-glue"],
  multipart: ["express-operations", "express-openapi-validator"],
};

/** The rates of one library with one kind of form. */
export type FormRates = Rates & { contender: ContenderName; form: FormKind };

/** Measures how fast each library reads and validates a form of seven values. */
export async function measureForms(rounds: number): Promise<FormRates[]> {
  const module = new URL("form-server.ts", import.meta.url);
  const forms = Object.keys(READERS) as FormKind[];
  const lineup = forms.flatMap((form) => READERS[form].map((contender) => ({ form, contender })));
  const entrants = lineup.map(({ form, contender }) => {
    return { module, args: [contender], request: FORM_REQUESTS[form], response: /^HTTP\/1\.1 200 [^]*\{"sid":"SM1"\}/ };
  });
  const rates = await throughput(entrants, rounds);
  return lineup.map((entry, at) => ({ ...entry, ...rates[at]! }));
}
