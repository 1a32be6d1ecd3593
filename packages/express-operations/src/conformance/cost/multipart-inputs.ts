import { counted, enclosed, type Filling, repeated } from "./fillings.ts";

/** The boundary of the bodies. */
export const BOUNDARY = "X".repeat(30);

const END = `--${BOUNDARY}--\r\n`;
const HEAD = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="`;

function part(name: string, value: string, more = ""): string {
  return `${HEAD}${name}"${more}\r\n\r\n${value}\r\n`;
}

/** Returns large multipart bodies with these fields: many parts, long names, headers and contents. */
export function multipartInputs(fields: string[]): Filling[] {
  const contents = ["a", "\r", "\n", "\r\n", "-", "\r\n-", `\r\n--${BOUNDARY.slice(1)}`, "X", "[", "\u00E9"];
  const ofFields = [...fields, "undeclared"].flatMap((name) => [
    { title: `${name} again and again`, fill: enclosed("", repeated(part(name, "1")), END) },
    { title: `${name}[] again and again`, fill: enclosed("", repeated(part(`${name}[]`, "1")), END) },
    { title: `file ${name} again and again`, fill: enclosed("", repeated(part(name, "1", '; filename="f"')), END) },
    {
      title: `${name}[k0], ${name}[k1], …`,
      fill: enclosed(
        "",
        counted((count) => part(`${name}[k${count}]`, "1")),
        END,
      ),
    },
    ...contents.map((text) => ({
      title: `${name} of ${JSON.stringify(text)}`,
      fill: enclosed(`${HEAD}${name}"\r\n\r\n`, repeated(text), `\r\n${END}`),
    })),
  ]);
  const names = ["a", "[k]", '\\"', ";", "%41", "a=b;", "\u00E9"].map((text) => ({
    title: `a name of ${text}`,
    fill: enclosed(`${HEAD}a`, repeated(text), `"\r\n\r\n1\r\n${END}`),
  }));
  const dispositions = [";", "; a=b", "; filename*=utf-8''a", " ", "=", '"'].map((text) => ({
    title: `a disposition of ${text}`,
    fill: enclosed(`${HEAD}a"`, repeated(text), `\r\n\r\n1\r\n${END}`),
  }));
  const preambles = ["a", "\r\n", "-", "--", `--${BOUNDARY}\r\n`].map((text) => ({
    title: `${JSON.stringify(text)} ahead of all parts`,
    fill: enclosed("", repeated(text), part("a", "1") + END),
  }));
  return [
    ...ofFields,
    ...names,
    ...dispositions,
    ...preambles,
    {
      title: "k0, k1, …",
      fill: enclosed(
        "",
        counted((count) => part(`k${count}`, "1")),
        END,
      ),
    },
    {
      title: "many headers",
      fill: enclosed(
        `${HEAD}a"\r\n`,
        counted((count) => `h${count}: a\r\n`),
        `\r\n1\r\n${END}`,
      ),
    },
  ];
}
