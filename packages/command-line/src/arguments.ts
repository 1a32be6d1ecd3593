import { InvalidArgumentError } from "commander";

/** Returns a parser of whole numbers of at least `least`. */
export function wholeNumber(least = 0): (text: string) => number {
  return (text) => {
    if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
    throw new InvalidArgumentError(`Give a whole number of at least ${least}.`);
  };
}
