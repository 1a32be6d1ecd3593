/** Base64 with padding (RFC 4648, section 4). */
export const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** A UUID without a prefix (RFC 9562, section 4). */
export const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

const DATE_TIME =
  /^(\d{4})-(0[1-9]|1[0-2])-(\d\d)[T ]([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/i;

/**
 * Returns whether a text is a date and time with its offset from UTC (RFC 3339, section 5.6). A space may stand for the
 * T. A leap second is the last one of a day in UTC.
 */
export function isDateTime(text: string): boolean {
  const [, year, month, day, hour, minute, second, sign, offsetHours = 0, offsetMinutes = 0] =
    DATE_TIME.exec(text) ?? [];
  const isInCalendar = Number(day) >= 1 && Number(day) <= daysIn(Number(year), Number(month));
  if (!isInCalendar || second !== "60") return isInCalendar;
  const offset = Number(offsetHours) * 60 + Number(offsetMinutes);
  const minuteOfDay = Number(hour) * 60 + Number(minute) + (sign === "-" ? offset : -offset);
  return (minuteOfDay + MINUTES) % MINUTES === MINUTES - 1;
}

const MINUTES = 24 * 60;

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate(); // the calendar repeats after 400 years
}
