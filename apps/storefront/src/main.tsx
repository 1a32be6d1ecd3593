import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Shop } from "./shop.tsx";

createRoot(document.querySelector("#root")!).render(
  <StrictMode>
    <QueryClientProvider client={new QueryClient()}>
      <Shop />
    </QueryClientProvider>
  </StrictMode>,
);
