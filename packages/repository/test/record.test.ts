import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { root } from "@platform/test-support/clone";
import { expect, test } from "vitest";
import { eventsOf, linesOf } from "../src/recording/cast.ts";
import { STORIES } from "../src/recording/stories.ts";
import { svgOf } from "../src/recording/svg.ts";

test.each(Object.values(STORIES))(
  "the picture of $title shows its recording, and its page describes it",
  async (story) => {
    const { title, description, path, page } = story;
    const events = eventsOf(readFileSync(join(root, `${path}.cast`), "utf8"));
    await expect(svgOf(title, description, events)).toMatchFileSnapshot(join(root, `${path}.svg`));
    const address = posix.relative(posix.dirname(page), `${path}.svg`);
    expect(readFileSync(join(root, page), "utf8")).toContain(`![${description}](${address})`);
  },
);

test("a control code that the picture would not show is an error", () => {
  expect(() => linesOf([[0, "o", "\u001B[2J new\n"]])).toThrow(String.raw`The control code "\u001b[2J" is not known.`);
});
