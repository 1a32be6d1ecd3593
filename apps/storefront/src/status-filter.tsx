import type { PetStatus } from "@petstore/client";

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
