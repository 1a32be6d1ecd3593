import type { PetStatus } from "@petstore/client";
import { onlineManager } from "@tanstack/react-query";
import { useState, useSyncExternalStore } from "react";
import { NewPetForm } from "./new-pet-form.tsx";
import { PetList, StatusFilter } from "./pet-list.tsx";

/** The page: a list of animals with a filter, and a form that adds one. */
export function Shop() {
  const [status, setStatus] = useState<PetStatus>();
  return (
    <>
      <a className="skip" href="#animals">
        Skip to the animals
      </a>
      <header>
        <p className="brand">Petstore</p>
        <h1>Find your next friend</h1>
      </header>
      <OfflineBanner />
      <main>
        <section id="animals" aria-labelledby="animals-title" tabIndex={-1}>
          <div className="bar">
            <h2 id="animals-title">Animals</h2>
            <StatusFilter status={status} onChange={setStatus} />
          </div>
          <PetList key={status} status={status} />
        </section>
        <NewPetForm />
      </main>
    </>
  );
}

/** Tells that the browser is offline. TanStack Query then pauses requests, and continues them later. */
function OfflineBanner() {
  const isOnline = useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
  );
  return (
    <div role="status" className="banner">
      {!isOnline && <p>You are offline. The page continues when the connection is back.</p>}
    </div>
  );
}
