/** The part of the benchmark that measures other libraries and public documents. `main.ts` installs both, and runs it. */
import { ratioOf, show, spreadOf } from "../../measuring/figures.ts";
import { measureForms } from "./forms.ts";
import { measureLargest } from "./largest.ts";
import type { Start } from "./largest-server.ts";

const ROUNDS = 9;

console.log(`\nForms of seven values per second: median of ${ROUNDS} rounds of a second each (lowest–highest)`);
const forms = await measureForms(ROUNDS);
console.table(
  forms.map(({ contender, form, perSecond, perCpuSecond }) => {
    const own = forms.find((other) => other.form === form)!;
    return {
      form,
      "read by": contender,
      "forms/s": show(spreadOf(perSecond), 0),
      "express-operations to it": show(ratioOf(own.perSecond, perSecond)),
      "the same by CPU time": show(ratioOf(own.perCpuSecond, perCpuSecond)),
    };
  }),
);

const STARTS = 3;
console.log(
  `\nMilliseconds from a parsed document to the first response, of the ten largest documents: median of ${STARTS}`,
);
console.table(
  (await measureLargest(10, STARTS)).map(({ name, megabytes, starts }) => {
    const cells = Object.entries(starts).map(([contender, results]) => [contender, startCell(results)]);
    return { document: name, MB: megabytes.toFixed(1), ...(Object.fromEntries(cells) as Record<string, string>) };
  }),
);

function startCell(results: Start[]): string {
  const failed = results.find((result) => "failure" in result);
  if (failed !== undefined) return failed.failure.slice(0, 60);
  return show(spreadOf(results.map((result) => (result as { milliseconds: number }).milliseconds)), 0);
}
