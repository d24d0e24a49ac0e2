/** What `breakwater init mix NAME` writes: a mix of clients that any target takes, and in comments those that take a credential. */
export function mixText(name: string): string {
  return `// ${name}: a workload mix. It says which clients come, how often, for how long, and what they do. An open model: they come at
// their rate, however slow the target answers. docs/mixes.md of the installation tells every field, and every request.
{
  "name": ${JSON.stringify(name)},
  "description": "visitors who look at market pages, crawlers that page through all",
  // How long clients go on coming; those that are there at the end leave.
  "durationSeconds": 10,
  // "empty": they fill up over the length of a life. "steady": as many as there are on average are there at once.
  "start": "steady",
  "clients": [
    {
      "name": "visitors",
      "description": "look at market pages, without signing in",
      // "none"; "api-token": one of those of the target; "session": signs in with a wallet, and out at its end.
      "credential": "none",
      // Mean number at a time: arrivals a second, times the mean life.
      "arrivalsPerSecond": 3,
      // "constant": seconds. "uniform": minSeconds, maxSeconds. "exponential": meanSeconds. "log-normal": medianSeconds, spread.
      "life": { "distribution": "log-normal", "medianSeconds": 3, "spread": 0.4 },
      // Between two steps.
      "think": { "distribution": "exponential", "meanSeconds": 0.6 },
      // How unevenly pools are chosen: 0: each as likely; 1: the second half as likely as the first.
      "poolSkew": 1,
      // A step is chosen by its weight; what it requests is sent side by side. A path of your own is a public read.
      "steps": [
        { "weight": 6, "requests": ["explore-page", "tokens"] },
        { "weight": 2, "requests": ["pool", "pool-stats", "pool-ohlcv", "pool-trades"] },
        { "weight": 1, "requests": ["/explore/tokens"] },
      ],
    },
    {
      "name": "crawlers",
      "description": "page through all pools, as an aggregator does",
      "credential": "none",
      "arrivalsPerSecond": 0.2,
      "life": { "distribution": "constant", "seconds": 5 },
      "think": { "distribution": "uniform", "minSeconds": 0.2, "maxSeconds": 0.4 },
      "steps": [
        { "weight": 3, "requests": ["pools-next"] },
        { "weight": 1, "requests": ["explore-next"] },
      ],
    },

    // Those who take more than an address; remove the // before each line. For API tokens:
    // {
    //   "name": "bots",
    //   "description": "ask for routes by API token",
    //   "credential": "api-token",
    //   "arrivalsPerSecond": 0.3,
    //   "life": { "distribution": "constant", "seconds": 6 },
    //   "think": { "distribution": "exponential", "meanSeconds": 0.5 },
    //   "steps": [
    //     { "weight": 4, "requests": ["route"] },
    //     { "weight": 1, "requests": ["swaps-of-pool", "unclaimed"] },
    //   ],
    // },

    // For wallets:
    // {
    //   "name": "traders",
    //   "description": "sign in with a wallet, and follow pools on the feed",
    //   "credential": "session",
    //   "arrivalsPerSecond": 0.3,
    //   "life": { "distribution": "log-normal", "medianSeconds": 5, "spread": 0.3 },
    //   "think": { "distribution": "uniform", "minSeconds": 0.5, "maxSeconds": 1.5 },
    //   "refreshAfterSeconds": 720,
    //   "feed": {
    //     "rooms": { "pool_stats": 3, "trades": 2, "balances": 1, "protocol_config": 1 },
    //     "renewAfterSeconds": 45,
    //   },
    //   "steps": [
    //     { "weight": 2, "requests": ["pool", "pool-ohlcv"] },
    //     { "weight": 1, "requests": ["route"] },
    //   ],
    // },
  ],
}
`
}
