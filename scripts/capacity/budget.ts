/** What a search may take, and has taken so far by the caller's clock: all of it, starts and pauses included. */
export type Budget = {
  secondsMax: number
  secondsUsed: number
  requestsMax: number | null
  requestsUsed: number
}

export type Cost = { seconds: number; requests: number }

/** To start k6 and to end it. */
const OVERHEAD_SECONDS = 2

/** What a trial is going to cost, in seconds and requests, at its rate. */
export function costOf(
  trial: { rate: number; pauseSeconds: number; warmUpSeconds: number; seconds: number },
  requestsPerIteration: number,
): Cost {
  const loaded = trial.warmUpSeconds + trial.seconds
  return {
    seconds: trial.pauseSeconds + loaded + OVERHEAD_SECONDS,
    requests: Math.ceil(trial.rate * loaded * requestsPerIteration),
  }
}

/** Whether all of it can be had without going over. */
export function affords(budget: Budget, ...costs: readonly Cost[]): boolean {
  const seconds = costs.reduce((sum, cost) => sum + cost.seconds, budget.secondsUsed)
  const requests = costs.reduce((sum, cost) => sum + cost.requests, budget.requestsUsed)
  return seconds <= budget.secondsMax && requests <= (budget.requestsMax ?? Number.POSITIVE_INFINITY)
}
