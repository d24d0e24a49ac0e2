import { serverRules } from '../rule.ts'

export const RATE_LIMIT_RULES = serverRules([
  [
    'rate-limit.burst.429',
    'Errors',
    'Too many requests are answered with 429.',
    'requests above the limit of the profile get 429',
    'Reads /access/status ten at a time until a 429 comes, or twice as much was served as the limit in the profile allows.',
  ],
  [
    'rate-limit.wait.recovers',
    'Errors',
    'A client that waits is served again.',
    'after the wait the same request answers 200',
    'Waits as the 429 says, and at least until the limit has refilled; reads again, up to three times. A 5xx counts only if it then comes four times over at least 5 s while /tokens is served.',
    'a minute',
  ],
])
