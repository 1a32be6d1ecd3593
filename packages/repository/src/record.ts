/** `pnpm record`: records the terminals that the pages show, and draws them. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createProgram, PNPM, runProgram, withProgress } from "@openapi-operations/command-line";
import { root } from "@platform/test-support/clone";
import { castOf, eventsOf, textOf } from "./recording/cast.ts";
import { recordingOf, STORIES } from "./recording/stories.ts";
import { svgOf } from "./recording/svg.ts";

const program = createProgram("record", {
  description: "Records the terminals that the pages show, and draws them. A recording with the same text is kept.",
  folder: import.meta.dirname,
  examples: [`${PNPM} record`, `${PNPM} record dev`],
}).action(() => recorded(Object.keys(STORIES)));
for (const name of Object.keys(STORIES))
  program
    .command(name)
    .description(`records ${name} only`)
    .action(() => recorded([name]));

await runProgram(program);

async function recorded(names: string[]): Promise<void> {
  for (const name of names) {
    const story = STORIES[name as keyof typeof STORIES];
    const [cast, picture] = ["cast", "svg"].map((extension) => join(root, `${story.path}.${extension}`));
    const kept = existsSync(cast!) ? eventsOf(readFileSync(cast!, "utf8")) : [];
    const events = await withProgress((report) => {
      report(`Recording ${name}`);
      return recordingOf(story);
    });
    const isSame = textOf(events) === textOf(kept);
    if (!isSame) writeFileSync(cast!, castOf(story.title, events));
    writeFileSync(picture!, svgOf(story.title, story.description, isSame ? kept : events));
    console.log(`${story.path}.cast: ${isSame ? "unchanged" : "recorded"}`);
  }
}
