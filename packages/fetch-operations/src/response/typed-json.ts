import { unreadable } from "../call/call-failure.ts";
import { type Reader, readText } from "./read-body.ts";
import { parseExact, parseJson, rejectRounded } from "../parts/json.ts";
import { readEventsBy } from "./events.ts";
import { readValuesBy } from "./readers.ts";
import { checkNull, parsed } from "./read-json.ts";

/** The places of a JSON value that are not JSON types: `#Name` refers to another shape. */
export type Shape =
  | "int64"
  | "date-time"
  | "date"
  | `#${string}`
  | { items: Shape }
  | { fields: Record<string, Shape>; rest?: Shape };

/** The shapes of a contract, by name. */
export type Shapes = Readonly<Record<string, Shape>>;

/** The type of dates: `Date` for date-times only, or the types of `Temporal`. */
export type DateType = "Date" | "Temporal" | undefined;

/**
 * Returns a reader of JSON that turns 64-bit integers into `bigint` and dates into objects, at the places of a shape. It rejects
 * for a value that is neither, and for other integers that a number would round.
 */
export function typedJson(shape: Shape, shapes: Shapes, dates: DateType): Reader {
  return async (exchange) => {
    const text = await readText(exchange);
    return checkNull(text && typedValue(text, shape, shapes, dates), text, exchange.operation);
  };
}

/** Returns a reader of Server-Sent Events whose data is converted as by `typedJson`. */
export function typedEvents(shape: Shape, shapes: Shapes, dates: DateType): Reader {
  return readEventsBy((text) => typedValue(text, shape, shapes, dates));
}

/** Returns a reader of JSON lines whose values are converted as by `typedJson`. */
export function typedLines(shape: Shape, shapes: Shapes, dates: DateType): Reader {
  return readValuesBy("\n", (text) => typedValue(text, shape, shapes, dates));
}

/** Returns a reader of a JSON text sequence (RFC 7464) whose values are converted as by `typedJson`. */
export function typedSequence(shape: Shape, shapes: Shapes, dates: DateType): Reader {
  return readValuesBy("\u001e", (text) => typedValue(text, shape, shapes, dates));
}

/** Parses JSON as `typedJson` does. Throws for a value that the reader rejects. */
export function typedValue(text: string, shape: Shape, shapes: Shapes, dates: DateType): unknown {
  return parsed(text, (json) => {
    // Begins a text in place of an integer that a number would round. No text of the service can begin so.
    const tag = `\0${Math.random()}`;
    let tagged = 0;
    const value = parseExact(json, (integer) => {
      if (!/^-?\d{1,20}$/.test(integer)) rejectRounded(integer); // which is no 64-bit integer
      tagged++;
      return JSON.stringify(tag + integer);
    });
    let found = 0;
    const convert = (part: unknown, of: Shape | undefined): unknown => {
      if (part === null || of === undefined) return part;
      if (typeof of === "string" && of.startsWith("#")) return convert(part, shapes[of.slice(1)]);
      if (of === "int64") {
        if (typeof part !== "string" || !part.startsWith(tag))
          return Number.isInteger(part) ? BigInt(part as number) : part;
        found++;
        return BigInt(part.slice(tag.length));
      }
      if (typeof of === "string") return typeof part === "string" ? dateOf(part, of as "date", dates, text) : part;
      if ("items" in of) return Array.isArray(part) ? part.map((item) => convert(item, of.items)) : part;
      if (typeof part !== "object" || Array.isArray(part)) return part;
      const own = (name: string) => (Object.hasOwn(of.fields, name) ? of.fields[name] : of.rest);
      return Object.fromEntries(Object.entries(part).map(([name, field]) => [name, convert(field, own(name))]));
    };
    const converted = convert(value, shape);
    return found === tagged ? converted : parseJson(json); // which names the integer
  });
}

interface TemporalLike {
  Instant: { from: (text: string) => unknown };
  PlainDate: { from: (text: string) => unknown };
}

function dateOf(text: string, format: "date" | "date-time", type: DateType, body: string): unknown {
  if (type === undefined || (type === "Date" && format === "date")) return text;
  try {
    if (type === "Date") {
      const date = new Date(text);
      if (!Number.isNaN(date.getTime())) return date;
      throw new RangeError(`${JSON.stringify(text)} is not a date.`);
    }
    const { Temporal } = globalThis as unknown as { Temporal: TemporalLike };
    return format === "date" ? Temporal.PlainDate.from(text) : Temporal.Instant.from(text);
  } catch (cause) {
    throw unreadable(`has the date ${JSON.stringify(text.slice(0, 40))}, which cannot be read`, body, cause);
  }
}
