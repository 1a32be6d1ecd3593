import { element } from "./elements.js";

const list = element("transfers");
const SHOWN = 8;

const items = new Map();

/** `EventSource` connects again by itself after the service has restarted. */
new EventSource("/v1/transfers").addEventListener("message", ({ data }) => {
  const { id, operation, state, detail } = JSON.parse(data);
  const item = document.createElement("li");
  item.append(
    ...[`#${id}`, operation, state, detail].map((text) => {
      const cell = document.createElement("span");
      cell.textContent = text;
      return cell;
    }),
  );
  item.children[2].dataset.state = state;
  items.get(id)?.remove();
  items.set(id, item);
  list.prepend(item);
  while (list.children.length > SHOWN) list.lastElementChild.remove();
});
