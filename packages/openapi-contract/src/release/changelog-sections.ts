/** The sections of a changelog (https://keepachangelog.com), and their HTML for the page and the feed of a service. */
import { micromark } from "micromark";
import { z } from "zod";

/** The heading of a version or of the changes since. Other headings are text of the section above. */
const SECTION = /^## \[?(?<name>\d+\.\d+\.\d+|unreleased)\]?(?=\s|$)/im;

/** A section with its heading, as it is written. */
export interface Section {
  /** The version; undefined for the changes since the last release. */
  version: string | undefined;
  text: string;
}

/** A changelog in parts, with all that people have written in it. */
export interface Sections {
  /** The title and the introduction. */
  head: string;
  /** In the order of the text. */
  sections: Section[];
}

export function sectionsOf(changelog: string): Sections {
  const [head = "", ...texts] = `\n${changelog}`.split(
    new RegExp(`(?=${SECTION.source.replace("?<name>", "?:")})`, "im"),
  );
  const sections = texts.map((text) => {
    const { name } = SECTION.exec(text)!.groups!;
    return { version: /^\d/.test(name!) ? name : undefined, text: text.trim() };
  });
  return { head: head.trim(), sections };
}

/** A changelog as HTML: the title with the introduction, and each release, the latest first. */
export interface PublishedChangelog {
  head: string;
  releases: { version: string; date: string; html: string }[];
}

/** Returns the released part of a changelog for clients. HTML in it becomes text. Throws for a release without a date. */
export function publishedChangelog(changelog: string): PublishedChangelog {
  const { head, sections } = sectionsOf(changelog);
  const releases = sections.flatMap(({ version, text }) => {
    if (version === undefined) return [];
    const [heading = "", ...lines] = text.split("\n");
    const [date] = /\b\d{4}-\d\d-\d\d\b/.exec(heading) ?? [];
    if (date === undefined || !z.iso.date().safeParse(date).success)
      throw new Error(
        `The changelog has no date of ${version}. Write the day of its release: "## ${version} - 2026-01-31".`,
      );
    return { version, date, html: htmlOf(lines.join("\n")) };
  });
  return { head: htmlOf(head), releases: releases.toSorted((one, other) => other.date.localeCompare(one.date)) };
}

function htmlOf(markdown: string): string {
  return micromark(markdown.replaceAll(/(?<!\\)<!--[^]*?-->/g, ""));
}
