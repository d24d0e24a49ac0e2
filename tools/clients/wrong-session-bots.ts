import type { WrongBot } from './bot-patches.ts'

const LOST_RACE = 'return getattr(error, "status", None) == 409 and await self._winner(before)'
const SENDS_CSRF = 'return {"X-CSRF-Token": token} if method != "GET" and token else {}'
const SIGNED = 'challenge["data"]["message"]'
const session = (from: string, to: string) => [{ file: 'session.py', from, to }]

/** Programs with a wrong session. */
export const WRONG_SESSION_BOTS: Readonly<Record<string, WrongBot>> = {
  'refresh-token-in-url': {
    wrong: 'puts the refresh token into the URL of a refresh',
    scene: 'session',
    breaks: ['client.secrets.not-in-urls'],
    patches: session('"POST", "/auth/refresh"', '"POST", f"/auth/refresh?token={before}"'),
  },
  'csrf-in-url': {
    wrong: 'sends the CSRF token in the URL too',
    scene: 'session',
    breaks: ['client.secrets.not-in-urls'],
    patches: session(
      'return await self._request(method, path, json=body or None)',
      'return await self._request(method, f"{path}?csrf={self._store.csrf_token}", json=body or None)',
    ),
  },
  'trims-the-message': {
    wrong: 'trims the message before it signs it',
    scene: 'session',
    breaks: ['client.message.exact'],
    patches: session(SIGNED, `${SIGNED}.strip()`),
  },
  'normalizes-the-message': {
    wrong: 'signs the message in another Unicode form',
    scene: 'session',
    breaks: ['client.message.exact'],
    patches: session(SIGNED, `__import__("unicodedata").normalize("NFC", ${SIGNED})`),
  },
  'rebuilds-the-message': {
    wrong: 'splits the message into lines and joins them again',
    scene: 'session',
    breaks: ['client.message.exact'],
    patches: session(SIGNED, `"\\n".join(${SIGNED}.splitlines())`),
  },
  'no-csrf': {
    wrong: 'sends changes without the CSRF token',
    scene: 'session',
    breaks: ['client.csrf.sent'],
    patches: session(SENDS_CSRF, 'return {}'),
  },
  'csrf-only-with-post': {
    wrong: 'sends the CSRF token with POST only, not with DELETE',
    scene: 'session',
    breaks: ['client.csrf.sent'],
    patches: session(SENDS_CSRF, SENDS_CSRF.replace('method != "GET"', 'method == "POST"')),
  },
  'loser-gives-up': {
    wrong: 'fails if another program refreshes at the same time',
    scene: 'session',
    breaks: ['client.refresh.retries-after-409'],
    patches: session(LOST_RACE, 'raise'),
  },
  'loser-drops-its-request': {
    wrong: 'waits for the program that refreshes, but does not repeat its request',
    scene: 'session',
    breaks: ['client.refresh.retries-after-409'],
    patches: session(LOST_RACE, 'await self._winner(before)\n            raise'),
  },
  'loser-refreshes-again': {
    wrong: 'repeats its refresh while another program refreshes',
    scene: 'session',
    breaks: ['client.refresh.retries-after-409'],
    patches: session(
      LOST_RACE,
      'await self._sleep(0.2)\n            return getattr(error, "status", None) == 409 and await self._refresh()',
    ),
    faults: [{ fault: 'refresh-window', latency: { distribution: 'fixed', ms: 1000 } }],
  },
}
