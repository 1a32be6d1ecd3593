import type { Profiler } from "node:inspector";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";

/** A function and its share of the profiled self time, between 0 and 1. */
export interface Cost {
  place: string;
  share: number;
}

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** Returns the functions by self time, the largest first, without idle time. */
export function costsOf(profile: Profiler.Profile): Cost[] {
  const places = new Map(profile.nodes.map(({ id, callFrame }) => [id, placeOf(callFrame)]));
  const microseconds = new Map<string, number>();
  let total = 0;
  for (const [at, id] of (profile.samples ?? []).entries()) {
    const place = places.get(id) ?? "";
    const taken = profile.timeDeltas?.[at] ?? 0;
    if (at === 0 || place === "(idle)" || place === "(root)" || place.includes("node:inspector")) continue;
    total += taken;
    microseconds.set(place, (microseconds.get(place) ?? 0) + taken);
  }
  return Array.from(microseconds, ([place, taken]) => ({ place, share: taken / total })).toSorted(
    (a, b) => b.share - a.share,
  );
}

function placeOf({ functionName, url, lineNumber }: Profiler.Profile["nodes"][number]["callFrame"]): string {
  if (url === "") return functionName;
  const path = url.startsWith("file:") ? relative(ROOT, fileURLToPath(url)).replace(/^.*node_modules\//, "") : url;
  return `${functionName || "(anonymous)"} ${path}:${lineNumber + 1}`;
}
