import autocannon from "autocannon";

/** Loads each URL it is told for one second, and says how many requests were answered in how many seconds. Any answer but 200 ends it. */
process.on("message", (url: string) => {
  void autocannon({ url, connections: 16, duration: 1 }).then(({ requests, duration, errors, non2xx }) => {
    if (errors + non2xx > 0) throw new Error(`${url}: ${errors} errors, ${non2xx} answers that are no success`);
    process.send!({ requests: requests.total, seconds: duration });
  });
});
process.on("disconnect", () => process.exit());
