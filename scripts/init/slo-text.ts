/** What `breakwater init slo NAME` writes: objectives that a stub meets with ease, and those that take more, in comments. */
export function sloText(name: string): string {
  return `// ${name}: service level objectives. They say what speed and quality are promised; replace the figures by what you promise.
// Too few samples leave an objective open: a p95 takes 200 requests, a p99 1,000. docs/slo.md of the installation tells more.
{
  "name": ${JSON.stringify(name)},
  "objectives": [
    // "*": all requests together; else the first part of a path: "pools" for /pools/{key}/trades.
    { "routeGroup": "*", "quantile": 0.95, "latencyMsMax": 500 },
    { "routeGroup": "explore", "quantile": 0.5, "latencyMsMax": 100 },
    // Shares of requests: not answered, or a 5xx; and answered with 429.
    { "routeGroup": "*", "errorRateMax": 0.01 },
    { "routeGroup": "*", "refusedRateMax": 0.01 },
    // Iterations that the load generator could not start in time.
    { "droppedRateMax": 0.01 },

    // In each whole window of so many seconds, so that a stall is not lost in a long run:
    // { "routeGroup": "*", "quantile": 0.95, "latencyMsMax": 1000, "windowSeconds": 10 },

    // For mixes whose clients follow the feed: from the time that an event bears until it is heard, and from opening a socket
    // until it is synchronized.
    // { "quantile": 0.95, "feedDelayMsMax": 2000 },
    // { "quantile": 0.9, "synchronizeMsMax": 2000 },
  ],
}
`
}
