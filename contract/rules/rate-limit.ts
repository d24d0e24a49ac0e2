import { serverRules } from '../rule.ts'

export const RATE_LIMIT_RULES = serverRules([
  [
    'rate-limit.burst.429',
    'Errors',
    'Too many requests are answered with 429.',
    'requests above the limit of the profile get 429',
  ],
  [
    'rate-limit.wait.recovers',
    'Errors',
    'A client that waits is served again.',
    'after the wait the same request answers 200',
  ],
])
