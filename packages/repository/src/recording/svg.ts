import { type CastEvent, type Cell, charactersOf, linesOf } from "./cast.ts";

/** Narrow enough to be read on a phone. */
const COLUMNS = 58;
const [CHARACTER, ROW, MARGIN, MARKER_GAP] = [7.85, 18, 14, 6];

const STYLES = `text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;fill:#e6edf3;white-space:pre}
.marker{font-family:system-ui,sans-serif;font-style:italic;fill:#d2a8ff}
.bold{font-weight:700}.dim,.grey{fill:#9198a1}.red{fill:#ff7b72}.green{fill:#7ee787}.yellow{fill:#e3b341}.cyan{fill:#76e3ea}
.brief{visibility:hidden}
@media(prefers-reduced-motion:no-preference){.last{animation-name:hide}.brief{animation-name:show}}
@keyframes hide{from,to{visibility:hidden}}
@keyframes show{from,to{visibility:visible}}`;

/**
 * Returns a picture of a recording: each line appears when it was printed, and stays. The picture plays once, and not for readers
 * who prefer reduced motion. Lines are wrapped between words.
 */
export function svgOf(title: string, description: string, events: CastEvent[]): string {
  let y = MARGIN;
  const texts = linesOf(events).flatMap((line) =>
    line.flatMap(({ since, kind, cells }, version) => {
      const next = line[version + 1];
      if (kind === "m") y += MARKER_GAP;
      // After its animation, a line is shown if it is the last version, and hidden otherwise.
      const animation = next ? `${(next.since - since).toFixed(1)}s;animation-delay:${since}s` : `${since}s`;
      const shown = next ? "brief" : "last";
      return wrapped(cells).map((row, index) => {
        const at = next ? y + (index + 1) * ROW : (y += ROW);
        const word = kind === "m" ? "marker " : "";
        return `<text x="${MARGIN}" y="${at}" class="${word}${shown}" style="animation-duration:${animation}">${spansOf(row)}</text>`;
      });
    }),
  );
  const [width, height] = [Math.ceil(COLUMNS * CHARACTER) + 2 * MARGIN, y + MARGIN];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${escaped(title)}</title>
<desc>${escaped(description)}</desc>
<style>${STYLES}</style>
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8" fill="#161b22" stroke="#6e7681"/>
${texts.join("\n")}
</svg>
`;
}

/** Wraps a line between words, or else behind a slash. The other rows are indented as its second column, or by two. */
function wrapped(cells: Cell[]): Cell[][] {
  const [{ length: column }] = /^(?: +\S.*? {2,})?/.exec(charactersOf(cells))!;
  const indent = column > 0 && column <= COLUMNS / 2 ? column : 2;
  const margin = Array.from({ length: indent }, () => ({ character: " ", style: "" }));
  const rows: Cell[][] = [];
  let rest = cells;
  while (rest.length > COLUMNS) {
    const text = charactersOf(rest);
    const places = [text.lastIndexOf(" ", COLUMNS), text.lastIndexOf("/", COLUMNS - 1) + 1];
    const end = places.find((place) => place > indent) ?? COLUMNS;
    rows.push(rest.slice(0, end));
    rest = [...margin, ...rest.slice(text.slice(end).search(/\S/) + end)];
  }
  return [...rows, rest];
}

function spansOf(row: Cell[]): string {
  const spans: Cell[] = [];
  for (const { character, style } of row) {
    const last = spans.at(-1);
    if (last?.style === style) last.character += character;
    else spans.push({ character, style });
  }
  return spans
    .map(({ character, style }) =>
      style ? `<tspan class="${style}">${escaped(character)}</tspan>` : escaped(character),
    )
    .join("");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
