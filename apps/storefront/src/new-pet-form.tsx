import type { CreatePetInput, PetStatus } from "@petstore/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useRef } from "react";
import { FailureMessage } from "./failure-message.tsx";
import { mutations } from "./petstore.ts";

/** Adds an animal. The contract's rules stay with the service, whose message is shown. */
export function NewPetForm() {
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const { mutate, data, error, variables, isPending, isPaused } = useMutation({
    ...mutations.createPet(),
    onSuccess: () => {
      form.current?.reset();
      form.current?.querySelector("input")?.focus();
      return client.invalidateQueries({ queryKey: ["petstore", "listPets"] });
    },
  });
  const add = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!isPending) mutate(inputOf(event.currentTarget));
  };
  return (
    <form className="panel" aria-labelledby="add-title" onSubmit={add} ref={form}>
      <h2 id="add-title">Add an animal</h2>
      <label>
        Name
        <input name="name" required autoComplete="off" />
      </label>
      <label>
        Category
        <input name="categoryId" type="number" required defaultValue="1" />
      </label>
      <label>
        Status
        <select name="status">
          <option>available</option>
          <option>pending</option>
          <option>sold</option>
        </select>
      </label>
      <button className="main" aria-disabled={isPending}>
        {isPending ? "Adding…" : "Add"}
      </button>
      <p role="status">
        {isPaused && "The animal is added when the connection is back."}
        {data !== undefined && `${data.name} is number ${data.id}.`}
      </p>
      {error && (
        <FailureMessage title="The animal is not added." error={error} onRetry={() => variables && mutate(variables)} />
      )}
    </form>
  );
}

/** The key identifies this submission: a repeat after a lost response adds no second animal. */
function inputOf(form: HTMLFormElement): CreatePetInput {
  const fields = new FormData(form);
  return {
    "Idempotency-Key": crypto.randomUUID(),
    name: fields.get("name") as string,
    categoryId: Number(fields.get("categoryId")),
    status: fields.get("status") as PetStatus,
  };
}
