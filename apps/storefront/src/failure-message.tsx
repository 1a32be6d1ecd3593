import type { PetstoreError } from "@petstore/client";

/** Shows a failed call: the service's message, the request id for its operators, and a button if a repeat may succeed. */
export function FailureMessage({
  title,
  error,
  onRetry,
}: {
  title: string;
  error: PetstoreError;
  onRetry: () => void;
}) {
  return (
    <div role="alert" className="failure">
      <p>
        <strong>{title}</strong> {error.status === 0 ? "The service cannot be reached." : error.message}
      </p>
      <p className="facts">
        {error.code}
        {error.requestId !== undefined && (
          <>
            {" "}
            · request <code>{error.requestId}</code>
          </>
        )}
      </p>
      {mayPass(error) && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** No response, too many requests, a conflict with a running request, and a fault of the service may pass. */
function mayPass({ status }: PetstoreError): boolean {
  return status === 0 || status === 409 || status === 429 || status >= 500;
}
