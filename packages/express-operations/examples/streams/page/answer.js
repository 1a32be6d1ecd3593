import { element, linesOf, show, transfer } from "./transfer.js";

const [form, ask, more, answer, status] = ["answer-form", "ask", "continue", "answer", "answer-status"].map(element);

let question;
/** The number of tokens that have arrived, which is the id of the last event. */
let count = 0;

const askOrStop = transfer(ask, status, {
  labelOf: (isRunning) => (isRunning ? "Stop" : "Ask"),
  stopped: () => `Stopped after ${count} tokens`,
  receive: async (signal) => {
    more.disabled = true;
    show(status, "Waiting for the first token");
    try {
      await readTokens(signal);
      show(status, `All ${count} tokens`);
    } catch (error) {
      more.disabled = count === 0;
      throw error;
    }
  },
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (!ask.hasAttribute("data-running")) {
    question = element("question").value;
    count = 0;
    answer.textContent = "";
  }
  void askOrStop();
});

more.addEventListener("click", () => {
  ask.focus();
  void askOrStop();
});

/** `EventSource` sends no body, so the events are read from a response of `fetch`. */
async function readTokens(signal) {
  const headers = { "Content-Type": "application/json", ...(count > 0 && { "Last-Event-ID": String(count) }) };
  const response = await fetch("/v1/answers", { method: "POST", headers, body: JSON.stringify({ question }), signal });
  let id;
  for await (const line of linesOf(response)) {
    if (line.startsWith("id: ")) id = line.slice(4);
    if (line === "data: [DONE]") return;
    if (!line.startsWith("data: ")) continue;
    answer.append(JSON.parse(line.slice(6)).text);
    count = Number(id);
    show(status, `${count} tokens`);
  }
  throw new Error("The connection ended before the answer did. Continue.");
}
