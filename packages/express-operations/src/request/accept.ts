import { essenceOf } from "openapi-document";
import { withoutVendor } from "../media-type.ts";

/** A media type of a response, with its parameters in lower case. */
interface Offer {
  essence: string;
  parameters: Map<string, string>;
}

/** A media range of `Accept` with its quality value. */
interface Range extends Offer {
  quality: number;
}

/** An element of a list. Commas in quoted strings do not end it (RFC 9110, sections 5.6.1 and 5.6.4). */
const ELEMENT = /(?:[^",]|"(?:[^"\\]|\\.)*")+/y;
const PARAMETER = /;[ \t]*([^\s;="]+)[ \t]*(?:=[ \t]*("(?:[^"\\]|\\.)*"|[^;]*))?/g;

/**
 * Returns a function that tells whether `Accept` allows one of the media types (RFC 9110, section 12.5.1). The most
 * specific range decides for each type. `charset=utf-8` may be named. If a declared type is a range, every `Accept` is
 * allowed, because the response's type is known only later. With `vendorTypes`, a vendor type allows the type of its suffix. The time is linear in the header.
 */
export function acceptanceOf(mediaTypes: string[], vendorTypes = false): (accept: string) => boolean {
  if (mediaTypes.length === 0 || mediaTypes.some((type) => type.includes("*"))) return () => true;
  const qualitiesIn = qualitiesOf(mediaTypes, vendorTypes);
  return (accept) => [...qualitiesIn(accept).values()].some((quality) => quality > 0);
}

/**
 * Returns the declared media type that `Accept` prefers, and the media type to send if a range is declared and `Accept` names
 * a type in it. Of equal ones, the first. Undefined if `Accept` allows none.
 */
export function negotiatedType(mediaTypes: string[], accept: string): { declared: string; sent?: string } | undefined {
  const qualities = qualitiesOf(
    mediaTypes.filter((type) => !type.includes("*")),
    false,
  )(accept);
  const candidates = mediaTypes.flatMap((declared) => {
    const quality = qualities.get(declared);
    if (!declared.includes("*")) return quality === undefined ? [] : [{ declared, quality }];
    const prefix = essenceOf(declared).replace(/\*.*$/, "");
    const named = Array.from(rangesOf(accept), ({ essence, quality: own }) =>
      essence.includes("*")
        ? { declared, quality: own }
        : { declared, quality: essence.startsWith(prefix) ? own : 0, sent: essence },
    );
    return named.toSorted((one, other) => other.quality - one.quality).slice(0, 1);
  });
  const [best] = candidates.filter(({ quality }) => quality > 0).toSorted((one, other) => other.quality - one.quality);
  return best;
}

/** Returns a function that returns the quality value of each media type that `Accept` names, by itself or in a range. */
function qualitiesOf(mediaTypes: string[], vendorTypes: boolean): (accept: string) => Map<string, number> {
  const byRange = new Map<string, { mediaType: string; offer: Offer }[]>();
  for (const mediaType of mediaTypes) {
    for (const offer of [mediaType, `${mediaType};charset=utf-8`].map(offerOf)) {
      const [major] = offer.essence.split("/");
      for (const range of [offer.essence, `${major}/*`, "*/*"])
        byRange.set(range, [...(byRange.get(range) ?? []), { mediaType, offer }]);
    }
  }
  return (accept) => {
    const best = new Map<Offer, { mediaType: string; precedence: number; quality: number }>();
    for (const range of rangesOf(accept)) {
      const precedence = precedenceOf(range);
      const essence = vendorTypes && !byRange.has(range.essence) ? withoutVendor(range.essence) : range.essence;
      for (const { mediaType, offer } of byRange.get(essence) ?? []) {
        if (!includes(offer, range)) continue;
        const known = best.get(offer) ?? { precedence: -1, quality: 0 };
        const isBetter =
          precedence > known.precedence || (precedence === known.precedence && range.quality > known.quality);
        if (isBetter) best.set(offer, { mediaType, precedence, quality: range.quality });
      }
    }
    const qualities = new Map<string, number>();
    for (const { mediaType, quality } of best.values())
      qualities.set(mediaType, Math.max(quality, qualities.get(mediaType) ?? 0));
    return qualities;
  };
}

/** Yields the media ranges of the header. Stops at an unclosed quotation mark. */
function* rangesOf(accept: string): Generator<Range> {
  for (let at = 0; at < accept.length; at++) {
    ELEMENT.lastIndex = at;
    const [element] = ELEMENT.exec(accept) ?? [""];
    at += element.length;
    if (at < accept.length && accept[at] !== ",") return;
    if (element === "") continue;
    const { essence, parameters } = offerOf(element);
    const quality = Number.parseFloat(parameters.get("q") ?? "1");
    parameters.delete("q");
    yield { essence, parameters, quality };
  }
}

function offerOf(text: string): Offer {
  const [essence = ""] = text.split(";", 1);
  const parameters = new Map<string, string>();
  for (const [, name = "", value = ""] of text.slice(essence.length).matchAll(PARAMETER)) {
    const key = name.toLowerCase();
    if (!parameters.has(key)) parameters.set(key, value.trim().replaceAll('"', "").toLowerCase());
  }
  return { essence: essenceOf(essence), parameters };
}

function includes(offer: Offer, { parameters }: Range): boolean {
  return [...parameters].every(([name, value]) => offer.parameters.get(name) === value);
}

function precedenceOf({ essence, parameters }: Range): number {
  if (essence === "*/*") return 0;
  if (essence.endsWith("/*")) return 1;
  return parameters.size === 0 ? 2 : 3;
}
