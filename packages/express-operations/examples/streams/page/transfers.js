import { element } from "./transfer.js";

const list = element("transfers");
const SHOWN = 8;

const items = new Map();

/** `EventSource` connects again by itself after the service has restarted. */
new EventSource("/v1/transfers").addEventListener("message", ({ data }) => {
  const { id, operation, state, detail } = JSON.parse(data);
  const cells = [`#${id}`, operation, state, detail].map((text) => {
    return Object.assign(document.createElement("span"), { textContent: text });
  });
  cells[2].dataset.state = state;
  const item = document.createElement("li");
  item.append(...cells);
  items.get(id)?.remove();
  items.set(id, item);
  list.prepend(item);
  while (list.children.length > SHOWN) list.lastElementChild.remove();
});
