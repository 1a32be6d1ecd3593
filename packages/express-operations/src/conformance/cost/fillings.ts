/** A large text for an input, and its title. */
export interface Filling {
  title: string;
  /** The parts of the request that grow and that a schema validates. */
  of?: string[];
  /** Returns a text of about `size` bytes. */
  fill: (size: number) => string;
}

/** Repeats a text between two others, at least once. */
export function repeated(text: string, start = "", end = ""): Filling {
  const fill = (size: number) => text.repeat(Math.max(1, Math.floor(size / Buffer.byteLength(text))));
  return enclosed({ title: `${text}${text}…`, fill }, start, end);
}

/** Joins numbered texts between two others, so that no two are the same. */
export function counted(textOf: (count: number) => string, separator = "", start = "", end = ""): Filling {
  const fill = (size: number) => {
    const texts: string[] = [];
    for (let length = 0, count = 0; length < size; count++) {
      const text = textOf(count);
      texts.push(text);
      length += text.length + separator.length;
    }
    return texts.slice(0, Math.max(1, texts.length - 1)).join(separator);
  };
  return enclosed({ title: `${textOf(0)}${separator}${textOf(1)}${separator}…`, fill }, start, end);
}

/** Nests a text in pairs of others, such as brackets. */
export function nested(open: string, close: string, start = "", inside = ""): Filling {
  const fill = (size: number) => {
    const levels = Math.max(1, Math.floor((size - start.length - inside.length) / (open.length + close.length)));
    return start + open.repeat(levels) + inside + close.repeat(levels);
  };
  return { title: `${start}${open}${open}…${close}${close}`, fill };
}

/** Puts texts before and after a filling. */
export function enclosed({ title, fill }: Filling, start: string, end = ""): Filling {
  return {
    title: start + title + end,
    fill: (size) => start + fill(Math.max(1, size - start.length - end.length)) + end,
  };
}

/** Texts that some parser of URLs, parameters or fields interprets, raw and escaped. */
export const URL_TEXTS = [
  ..."a 1 %41 %25 %C3%A9 %20 %22 %5B %5D %2C %2F %7B%22a%22%3A a, 1,2, a.b [0] {a} a=b; ../".split(" "),
  ...Array.from("+,;:.|-_~!$'()*/\\@=[]{\"?#"),
];

/** Returns large values and many pairs of a name, as a query and a form have them. */
export function pairFillings(name: string): Filling[] {
  return [
    ...URL_TEXTS.map((text) => repeated(text, `${name}=`)),
    nested("%7B%22a%22%3A", "%7D", `${name}=`, "1"),
    repeated(`${name}=1&`),
    counted((count) => `${name}${count}=1`, "&"),
    ...bracketFillings(name, "[", "]"),
    ...bracketFillings(name, "%5B", "%5D"),
  ];
}

function bracketFillings(name: string, open: string, close: string): Filling[] {
  const inner = (text: string | number) => `${open}${text}${close}`;
  const key = (text: string | number) => name + inner(text);
  return [
    counted((count) => `${key(`k${count}`)}=1`, "&"),
    counted((count) => `${key(count)}=1`, "&"),
    repeated(`${key("")}=1&`),
    repeated(`${key("k")}=1&`),
    counted((count) => `${key(`k${count}`)}${inner("k")}=1`, "&"),
    counted((count) => `${key("k")}${inner(`k${count}`)}=1`, "&"),
    repeated(inner("k"), name, "=1"),
    repeated(open, name, "=1"),
    repeated(close, name, "=1"),
  ];
}
