/** Returns the lines of a response while they arrive. Throws the message of a response that is not successful. */
export async function* linesOf(response) {
  if (!response.ok) throw new Error((await response.json()).message);
  let rest = "";
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    yield* lines;
  }
}
