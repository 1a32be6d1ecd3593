import type { Pet, PetStatus } from "@petstore/client";
import { useInfiniteQuery } from "@tanstack/react-query";
import { type CSSProperties, useEffect, useRef } from "react";
import { FailureMessage } from "./failure-message.tsx";
import { lists } from "./petstore.ts";

const PAGE_SIZE = 12;

/** The animals of a status, page after page. */
export function PetList({ status }: { status: PetStatus | undefined }) {
  const query = lists.listPets({ limit: PAGE_SIZE, ...(status && { status }) });
  const { data, error, isPending, isFetching, isFetchNextPageError, hasNextPage, fetchNextPage, refetch } =
    useInfiniteQuery(query);
  const pets = data?.pages.flatMap(({ items }) => items) ?? [];
  const { list, keepPlace } = useFocusOnNextPage(pets.length);
  const showMore = () => {
    keepPlace();
    void fetchNextPage();
  };
  return (
    <>
      <p role="status" className="count">
        {isPending ? "Loading animals…" : data && countOf(pets.length, hasNextPage)}
      </p>
      {isPending && <Placeholders />}
      <ul className="pets" ref={list}>
        {pets.map((pet) => (
          <PetCard key={pet.id} pet={pet} />
        ))}
      </ul>
      {error && (
        <FailureMessage
          title="The animals cannot be shown."
          error={error}
          onRetry={() => void (isFetchNextPageError ? fetchNextPage() : refetch())}
        />
      )}
      {hasNextPage && !error && (
        <button className="more" aria-disabled={isFetching} onClick={isFetching ? undefined : showMore}>
          {isFetching ? "Loading…" : "Show more"}
        </button>
      )}
    </>
  );
}

function PetCard({ pet: { id, name, categoryId, status } }: { pet: Pet }) {
  const hue = { "--hue": (categoryId * 67) % 360 } as CSSProperties;
  return (
    <li className="pet" tabIndex={-1}>
      <span className="portrait" style={hue} aria-hidden="true">
        {firstLetterOf(name)}
      </span>
      <h3>{name}</h3>
      <p>
        No. {id} · category {categoryId}
      </p>
      <span className={`status ${status}`}>{status}</span>
    </li>
  );
}

/** The first letter as a reader sees it: an emoji may consist of several characters. */
function firstLetterOf(name: string): string | undefined {
  const [first] = new Intl.Segmenter().segment(name);
  return first?.segment;
}

function Placeholders() {
  return (
    <div className="pets" aria-hidden="true">
      {Array.from({ length: 6 }, (_, index) => (
        <div key={index} className="pet placeholder" />
      ))}
    </div>
  );
}

function countOf(count: number, hasMore: boolean): string {
  if (count === 0) return "There are no animals here.";
  const animals = count === 1 ? "1 animal" : `${count} animals`;
  return hasMore ? `${animals}, and there are more.` : `${animals}.`;
}

/** Moves the focus to the first animal of the next page, since the button that loads the page may disappear. */
function useFocusOnNextPage(count: number) {
  const list = useRef<HTMLUListElement>(null);
  const place = useRef<number>(undefined);
  useEffect(() => {
    if (place.current === undefined || count <= place.current) return;
    (list.current?.children[place.current] as HTMLElement | undefined)?.focus();
    place.current = undefined;
  }, [count]);
  return { list, keepPlace: () => void (place.current = count) };
}

const CHOICES: [label: string, status: PetStatus | undefined][] = [
  ["All", undefined],
  ["Available", "available"],
  ["Pending", "pending"],
  ["Sold", "sold"],
];

/** Radio buttons, so that the arrow keys change the filter. */
export function StatusFilter({
  status,
  onChange,
}: {
  status: PetStatus | undefined;
  onChange: (status: PetStatus | undefined) => void;
}) {
  return (
    <fieldset className="filter">
      <legend className="unseen">Status</legend>
      {CHOICES.map(([label, value]) => (
        <label key={label}>
          <input type="radio" name="filter" checked={value === status} onChange={() => onChange(value)} />
          {label}
        </label>
      ))}
    </fieldset>
  );
}
