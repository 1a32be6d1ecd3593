/** Returns a text of about `size` bytes. */
type Fill = (size: number) => string;

/** A large text for an input, and its title. */
export interface Filling {
  title: string;
  /** The parts of the request that grow and that a schema validates. */
  of?: string[];
  fill: Fill;
}

/** Repeats a text. */
export function repeated(text: string): Fill {
  return (size) => text.repeat(Math.max(1, Math.floor(size / Buffer.byteLength(text))));
}

/** Joins numbered texts, so that no two are the same. */
export function counted(textOf: (count: number) => string, separator = ""): Fill {
  return (size) => {
    const texts: string[] = [];
    for (let length = 0, count = 0; length < size; count++) {
      const text = textOf(count);
      texts.push(text);
      length += text.length + separator.length;
    }
    return texts.slice(0, Math.max(1, texts.length - 1)).join(separator);
  };
}

/** Puts texts before and after a filling. */
export function enclosed(start: string, fill: Fill, end = ""): Fill {
  return (size) => start + fill(Math.max(1, size - start.length - end.length)) + end;
}

/** Returns large texts of a name with brackets, raw or percent-encoded. */
export function bracketFillings(name: string, open: string, close: string): Filling[] {
  const key = (text: string | number) => `${name}${open}${text}${close}`;
  const inner = (text: string | number) => `${open}${text}${close}`;
  return [
    { title: `${key("k0")}=1&${key("k1")}=1&…`, fill: counted((count) => `${key(`k${count}`)}=1`, "&") },
    { title: `${key(0)}=1&${key(1)}=1&…`, fill: counted((count) => `${key(count)}=1`, "&") },
    { title: `${key("")}=1&${key("")}=1&…`, fill: repeated(`${key("")}=1&`) },
    { title: `${key("k")}=1&${key("k")}=1&…`, fill: repeated(`${key("k")}=1&`) },
    { title: `${key("k0")}${inner("k")}=1&…`, fill: counted((count) => `${key(`k${count}`)}${inner("k")}=1`, "&") },
    { title: `${key("k")}${inner("k0")}=1&…`, fill: counted((count) => `${key("k")}${inner(`k${count}`)}=1`, "&") },
    { title: `${key("k")}${inner("k")}…=1`, fill: enclosed(name, repeated(inner("k")), "=1") },
    { title: `${name}${open}${open}…=1`, fill: enclosed(name, repeated(open), "=1") },
    { title: `${name}${close}${close}…=1`, fill: enclosed(name, repeated(close), "=1") },
  ];
}

/** Texts that some parser of URLs, parameters or fields interprets, raw and escaped. */
export const URL_TEXTS = [
  ..."a 1 %41 %25 %C3%A9 %20 %22 %5B %5D %2C %2F %7B%22a%22%3A a, 1,2, a.b [0] {a} a=b; ../".split(" "),
  ...Array.from("+,;:.|-_~!$'()*/\\@=[]{\"?#"),
];
