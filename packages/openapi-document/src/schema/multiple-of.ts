/**
 * Returns whether a number is a multiple of a step (JSON Schema 2020-12, Validation, section 6.2.1), by the decimal
 * digits of both. Division of doubles finds that 19.99 is no multiple of 0.01.
 */
export function isMultipleOf(value: number, step: number): boolean {
  if (Number.isInteger(value / step)) return true;
  if (step === 0) return false;
  const [one, other] = [decimalOf(value), decimalOf(step)];
  const exponent = Math.min(one.exponent, other.exponent);
  const scaled = ({ digits, exponent: own }: Decimal) => digits * 10n ** BigInt(own - exponent);
  return scaled(one) % scaled(other) === 0n;
}

/** The number `digits` × 10 ^ `exponent`. */
interface Decimal {
  digits: bigint;
  exponent: number;
}

function decimalOf(value: number): Decimal {
  const [mantissa = "", exponent = "0"] = String(value).split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}
