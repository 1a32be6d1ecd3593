import { ratioOf, show, spreadOf } from "../measuring/figures.ts";
import { throughput } from "./throughput.ts";
import { FORM_REQUESTS, type FormKind } from "../peers/forms/document.ts";

/** The libraries that read each kind of form. The others reject it, or need another library for it. */
const READERS = {
  urlencoded: ["express-operations", "express-openapi-validator", "openapi-backend", "fastify-openapi-glue"],
  multipart: ["express-operations", "express-openapi-validator"],
} as const satisfies Record<FormKind, string[]>;

export type Reader = (typeof READERS.urlencoded)[number];

/** Prints how fast each library reads and validates a form of seven values. */
export async function printForms(rounds: number): Promise<void> {
  const forms = Object.keys(READERS) as FormKind[];
  const lineup = forms.flatMap((form) => READERS[form].map((reader) => ({ form, reader })));
  const module = new URL("../peers/forms/server.ts", import.meta.url);
  const response = /^HTTP\/1\.1 200 [^]*\{"sid":"SM1"\}/;
  const rates = await throughput(
    lineup.map(({ form, reader }) => ({ module, args: [reader], request: FORM_REQUESTS[form], response })),
    rounds,
  );
  console.log(`\nForms of seven values per second: median of ${rounds} rounds of a second each (lowest–highest)`);
  console.table(
    lineup.map(({ form, reader }, at) => {
      const own = rates[lineup.findIndex((other) => other.form === form)]!;
      return {
        form,
        "read by": reader,
        "forms/s": show(spreadOf(rates[at]!.perSecond), 0),
        "express-operations to it": show(ratioOf(own.perSecond, rates[at]!.perSecond)),
        "the same by CPU time": show(ratioOf(own.perCpuSecond, rates[at]!.perCpuSecond)),
      };
    }),
  );
}
