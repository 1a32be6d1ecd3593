import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname } from "node:path";
import { cloneEnvironment, root } from "@platform/test-support/clone";
import { scriptAbsence } from "@platform/test-support/machine";
import { type CastEvent, SIZE } from "./cast.ts";

/** A terminal and the person in front of it. */
export interface Terminal {
  type: (command: string) => void;
  /** Waits until the output since the last wait has a match. */
  shows: (pattern: RegExp) => Promise<void>;
  /** Adds a marker to the recording. */
  mark: (text: string) => void;
}

/** A mark before the prompt, which no command prints. The recording is without it. */
const PROMPT_MARK = "\u2060";
export const PROMPT = new RegExp(`${PROMPT_MARK}\\$ $`);
const PATIENCE_MILLISECONDS = 180_000;

/** These settings are the same on every machine. Without its progress and news of versions, npx and pnpm print nothing of their own. */
const SETTINGS = {
  PS1: `${PROMPT_MARK}$ `,
  PORT: "0",
  TERM: "xterm-256color",
  npm_config_progress: "false",
  npm_config_update_notifier: "false",
  pnpm_config_update_notifier: "false",
  GIT_AUTHOR_NAME: "reader",
  GIT_AUTHOR_EMAIL: "reader@localhost",
  GIT_COMMITTER_NAME: "reader",
  GIT_COMMITTER_EMAIL: "reader@localhost",
};

/** Output or a marker, without its time. */
type Piece = [kind: CastEvent[1], text: string];

// cspell:ignore norc noediting
/** Plays in a shell in a folder, and returns the recording. The last command may still run at the end. */
export async function record(folder: string, play: (terminal: Terminal) => Promise<void>): Promise<CastEvent[]> {
  const absence = scriptAbsence();
  if (absence !== undefined) throw new Error(`No terminal can be recorded: ${absence}.`);
  const { CI: _, ...environment } = cloneEnvironment();
  const shell = `stty columns ${SIZE.width} rows ${SIZE.height}; exec bash --norc --noediting`;
  const child = spawn("script", ["--quiet", "--command", shell, "/dev/null"], {
    cwd: folder,
    env: { ...environment, ...SETTINGS },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const chunks: Piece[] = [];
  let unseen = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    unseen += text;
    chunks.push(["o", text.replaceAll(PROMPT_MARK, "")]);
  });
  const terminal: Terminal = {
    type: (command) => child.stdin.write(`${command}\n`),
    shows: async (pattern) => {
      const signal = AbortSignal.timeout(PATIENCE_MILLISECONDS);
      while (!pattern.test(unseen))
        await once(child.stdout, "data", { signal }).catch(() => {
          throw new Error(`The terminal does not show ${pattern} but: ${unseen}`);
        });
      unseen = "";
    },
    mark: (text) => chunks.push(["m", text]),
  };
  try {
    await terminal.shows(PROMPT);
    await play(terminal);
    const recorded = [...chunks];
    terminal.type("\u0003");
    await terminal.shows(PROMPT);
    terminal.type("exit");
    await once(child, "close");
    return paced(piecesOf(recorded), dirname(folder));
  } finally {
    child.kill();
  }
}

/** Returns a piece for each line, and for each step of a progress that is rewritten in place. Chunks end anywhere. */
function piecesOf(chunks: Piece[]): Piece[] {
  const pieces: Piece[] = [];
  let [rest, step] = ["", ""];
  for (const [kind, text] of chunks) {
    const parts = kind === "m" ? [text, rest] : (rest + text).split(/(?<=\n)|(?=\r\p{Cc}\[K)/u);
    rest = parts.at(-1)!.endsWith("\n") ? "" : parts.pop()!;
    for (const part of parts) {
      const name = part.replace(/(?<=^\r.*),(?: \d+ (?:h|min|s))+/, "");
      if (name !== step) pieces.push([kind, name]);
      step = part.startsWith("\r") ? name : "";
    }
  }
  return rest === "" ? pieces : [...pieces, ["o", rest]];
}

/** Gives each piece a time, with pauses after a marker, a command and a step of a progress. Replaces ports and times of day. */
function paced(pieces: Piece[], folder: string): CastEvent[] {
  let tenths = 0;
  return pieces.map(([kind, text]) => {
    const at = tenths / 10;
    tenths += kind === "m" ? 15 : /^(?:\r\p{Cc}|\$)/u.test(text) ? 7 : 1;
    const clock = `10:42:${String(Math.floor(at)).padStart(2, "0")}`;
    const shown = text.replace(/(?<!\d)\d\d:\d\d:\d\d\b/, clock).replaceAll(/(?<=127\.0\.0\.1:)\d+/g, "3000");
    if ([folder, root].some((path) => shown.includes(path))) throw new Error(`${shown} has a path of this machine.`);
    return [at, kind, shown];
  });
}
