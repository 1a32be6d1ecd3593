import { describe, expect, test } from "vitest";
import { linkTo } from "../src/pages/link.ts";

describe("the link of a relation", () => {
  test.each<[header: string, target: string | undefined]>([
    ['</a>; rel="next"', "/a"],
    ["</a>; rel=next", "/a"],
    ['</a>;rel="prev  NEXT"', "/a"],
    ['</a>; REL = "next"', "/a"],
    ['</a>; title="rel=next, <b>"; rel=prev, </c>; rel=next', "/c"],
    ['</a>; rel="next"; anchor="/b", </c>; rel="next"', "/c"],
    ['</a>; title="\\"; rel=next"; rel=prev', undefined],
    ["</a>; rel=nextone", undefined],
    ["</a>; rel=prev; rel=next", undefined], // The first counts (RFC 8288, section 3.3).
    ["</a>", undefined],
    ["</a>; rel", undefined],
    ["<>; rel=next", ""],
    ["", undefined],
  ])("in %s is %s", (header, target) => {
    expect(linkTo("next", new Headers({ Link: header }))).toBe(target);
  });

  test("is undefined without the header, or without headers", () => {
    expect([linkTo("next", new Headers()), linkTo("next", undefined)]).toEqual([undefined, undefined]);
  });
});
