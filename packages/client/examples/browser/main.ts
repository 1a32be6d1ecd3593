/**
 * A page that lists animals, two at a time. Its user enters an API key, because every visitor can read a key in the page.
 *
 *   npm install @petstore/client vite
 *   npx vite
 */
import { createPetstore, type Page, PetstoreError, type PetStatus } from "@petstore/client";

/** The fields of the form. */
interface Fields {
  url: string;
  key: string;
  status: PetStatus;
}

const form = document.querySelector("form")!;
const list = document.querySelector("ul")!;
const more = document.querySelector<HTMLButtonElement>("#more")!;
const message = document.querySelector("[role=status]")!;

let pages: AsyncIterator<Page<"listPets">>;
let listing = new AbortController();

form.addEventListener("submit", (event) => {
  event.preventDefault();
  listing.abort(); // Its animals would otherwise mix with those of the new listing.
  listing = new AbortController();
  list.replaceChildren();
  const { url, key, status } = Object.fromEntries(new FormData(form)) as unknown as Fields;
  const petstore = createPetstore({ baseUrl: url, apiKey: key });
  const { signal } = listing;
  pages = petstore.paginate.listPets({ status, limit: 2 }, { signal }).pages()[Symbol.asyncIterator]();
  void showPage(signal);
});
more.addEventListener("click", () => void showPage(listing.signal));

async function showPage(signal: AbortSignal): Promise<void> {
  more.hidden = true;
  message.textContent = "Loading …";
  try {
    const { value, done } = await pages.next();
    if (done) return;
    for (const { id, name } of value.items) {
      list.append(Object.assign(document.createElement("li"), { textContent: `${id} ${name}` }));
    }
    more.hidden = value.next === undefined;
    message.textContent = more.hidden ? "No more animals." : "";
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof PetstoreError)) throw error;
    message.textContent =
      error.status === 401 ? "The service rejected this API key. Check it." : `${error.code}: ${error.message}`;
  }
}
