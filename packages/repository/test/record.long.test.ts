import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "@platform/test-support/clone";
import { needsTool, scriptAbsence } from "@platform/test-support/machine";
import { expect, test } from "vitest";
import { eventsOf, textOf } from "../src/recording/cast.ts";
import { recordingOf, STORIES } from "../src/recording/stories.ts";

test.for(Object.values(STORIES))("a terminal shows the text of the recording of $title", async (story, context) => {
  needsTool(context, scriptAbsence());
  const kept = eventsOf(readFileSync(join(root, `${story.path}.cast`), "utf8"));
  expect(textOf(await recordingOf(story)), "`pnpm record` records it again").toBe(textOf(kept));
});
