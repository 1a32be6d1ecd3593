import { element, label, show } from "./elements.js";
import { linesOf } from "./lines.js";

const [form, ask, more, answer, status] = ["answer-form", "ask", "continue", "answer", "answer-status"].map(element);

/** The answer that is arriving. */
let running;
let lastEventId;
let question;

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (running) return running.abort();
  question = element("question").value;
  lastEventId = undefined;
  answer.textContent = "";
  void receive();
});

more.addEventListener("click", () => {
  ask.focus();
  void receive();
});

/** Asks the question, or for the tokens after the last one that has arrived. */
async function receive() {
  running = new AbortController();
  label(ask, "Stop", true);
  more.disabled = true;
  show(status, "Waiting for the first token");
  try {
    await readTokens(running.signal);
    show(status, `All ${lastEventId} tokens`);
  } catch (error) {
    const isStopped = running.signal.aborted;
    show(status, isStopped ? `Stopped after ${lastEventId ?? 0} tokens` : error.message, !isStopped);
    more.disabled = lastEventId === undefined;
  } finally {
    running = undefined;
    label(ask, "Ask", false);
  }
}

/** `EventSource` sends no body, so the events are read from a response of `fetch`. */
async function readTokens(signal) {
  const headers = { "Content-Type": "application/json", ...(lastEventId && { "Last-Event-ID": lastEventId }) };
  const response = await fetch("/v1/answers", { method: "POST", headers, body: JSON.stringify({ question }), signal });
  let id;
  for await (const line of linesOf(response)) {
    if (line.startsWith("id: ")) id = line.slice(4);
    if (line === "data: [DONE]") return;
    if (!line.startsWith("data: ")) continue;
    answer.append(JSON.parse(line.slice(6)).text);
    lastEventId = id;
    show(status, `${lastEventId} tokens`);
  }
  throw new Error("The connection ended before the answer did. Continue.");
}
