/** An instruction of a Containerfile, such as `USER node`. */
export interface Instruction {
  name: string;
  value: string;
}

/** A stage: its base image, and the instructions after `FROM`. */
export interface Stage {
  base: string;
  name: string | undefined;
  instructions: Instruction[];
}

/** Reads the stages of a Containerfile. The default of an `ARG` before the first stage replaces its variable. */
export function stagesOf(text: string): Stage[] {
  const lines = text
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  const defaults = new Map<string, string>();
  const stages: Stage[] = [];
  for (const line of lines) {
    const [, name = "", value = ""] = /^(\w+) (.*)$/.exec(line) ?? [];
    const current = stages.at(-1);
    if (name === "FROM") {
      const [base = "", , stage] = value.split(" ");
      stages.push({
        base: base.replaceAll(/\$\{(\w+)\}/g, (_, own: string) => defaults.get(own)!),
        name: stage,
        instructions: [],
      });
    } else if (current === undefined) {
      const [own = "", fallback = ""] = value.split("=");
      defaults.set(own, fallback);
    } else {
      current.instructions.push({ name, value });
    }
  }
  return stages;
}
