/** Gives a text of about so many bytes. */
export type Fill = (size: number) => string;

/** A text for inputs to consist of, and how it is named in titles. */
export interface Filling {
  title: string;
  fill: Fill;
}

/** The same text again and again. */
export function repeated(unit: string): Fill {
  return (size) => unit.repeat(Math.max(1, Math.floor(size / Buffer.byteLength(unit))));
}

/** Texts that count up, so that no two are the same. */
export function counted(textOf: (count: string) => string, separator = ""): Fill {
  return (size) => {
    const texts: string[] = [];
    for (let length = 0, at = 0; length < size; at++) {
      const text = textOf(at.toString(36));
      texts.push(text);
      length += text.length + separator.length;
    }
    return texts.join(separator);
  };
}

export function after(start: string, fill: Fill, end = ""): Fill {
  return (size) => start + fill(size) + end;
}

export function indexed(textOf: (at: number) => string): Fill {
  return counted((count) => textOf(parseInt(count, 36)), "&");
}

/** What bracket notation makes of a name. */
export function nested(name: string, open: string, close: string): Filling[] {
  const key = (text: string) => `${name}${open}${text}${close}`;
  return [
    { title: `${key("k0")}=1&${key("k1")}=1&…`, fill: counted((count) => `${key(`k${count}`)}=1`, "&") },
    { title: `${key("0")}=1&${key("1")}=1&…`, fill: indexed((at) => `${key(String(at))}=1`) },
    { title: `${key("")}=1&${key("")}=1&…`, fill: repeated(`${key("")}=1&`) },
    { title: `${key("k")}=1&${key("k")}=1&…`, fill: repeated(`${key("k")}=1&`) },
    {
      title: `${key("k0")}${open}k${close}=1&…`,
      fill: counted((count) => `${key(`k${count}`)}${open}k${close}=1`, "&"),
    },
    {
      title: `${key("k")}${open}k0${close}=1&…`,
      fill: counted((count) => `${key("k")}${open}k${count}${close}=1`, "&"),
    },
    { title: `${name}${open}k${close}${open}k${close}…=1`, fill: after(name, repeated(`${open}k${close}`), "=1") },
    { title: `${name}${open}${open}…=1`, fill: after(name, repeated(open), "=1") },
    { title: `${name}${close}${close}…=1`, fill: after(name, repeated(close), "=1") },
    { title: `${name}=1&${name}=1&…`, fill: repeated(`${name}=1&`) },
  ];
}

/** Characters that some parser of URLs, parameters or fields takes for more than themselves, raw and escaped. */
export const URL_UNITS = [
  "a",
  "1",
  "%41",
  "%25",
  "%C3%A9",
  "%20",
  "%22",
  "%5B",
  "%5D",
  "%2C",
  "%2F",
  "%7B%22a%22%3A",
].concat(Array.from("+,;:.|-_~!$'()*/\\@=[]{\"?#"), ["a,", "1,2,", "a.b", "[0]", "{a}", "a=b;", "../"]);
