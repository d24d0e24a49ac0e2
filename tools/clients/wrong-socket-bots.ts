import {
  API_TOKEN,
  AUTHENTICATES,
  ENDS_WITH_SOCKET,
  feed,
  JOINS,
  RENEWS,
  type WrongBot,
} from './bot-patches.ts'

/** The test would wait for events, of all rooms or of none. */
const ENDS = 'raise RuntimeError("enough was sent")'
/** Two of them are there twice. */
const joinsRooms = (count: number) =>
  `self._rooms = [*self._rooms, *[f"{kind}:{pool['key']}" async for pool in self._exchange.rows("/pools") for kind in ("ohlcv", "trades")]][:${count}]\n        ${JOINS}\n        ${ENDS}`
const OTHER_TICKET = [
  '__import__("at").at((await self._exchange._http.get("/auth/ws-ticket",',
  'headers={"Authorization": "Bearer " + __import__("os").getenv("OTHER_API_TOKEN")})).json(),',
  'self._exchange.choices["wsTicket"]["ticket"])',
].join(' ')
/** In the scene `day`. */
const WITH_SESSION = [
  {
    file: 'bot_case.py',
    from: 'Exchange(self.stub.profile, self.stub.token, sleep=self.jump)',
    to: 'SessionExchange(self.stub.profile, self.stub.wallets[2], sleep=self.jump)',
  },
]

/** Bots with wrong tickets, sockets, frames or rooms. */
export const WRONG_SOCKET_BOTS: Readonly<Record<string, WrongBot>> = {
  'api-token-as-ticket': {
    wrong: 'authenticates its socket with the API token',
    breaks: ['client.ticket.only'],
    patches: [
      ...ENDS_WITH_SOCKET,
      ...feed(AUTHENTICATES, `await self._send(action="authenticate", token=${API_TOKEN})`),
    ],
  },
  'api-token-as-renewal': {
    wrong: 'renews a connection with the API token',
    breaks: ['client.ticket.only'],
    patches: feed(RENEWS, `await self._send(action="authenticate", token=${API_TOKEN})`),
  },
  'session-as-ticket': {
    wrong: 'authenticates its socket with the access token of its session',
    breaks: ['client.ticket.only'],
    patches: [
      ...WITH_SESSION,
      ...ENDS_WITH_SOCKET,
      ...feed(
        AUTHENTICATES,
        'await self._send(action="authenticate", token=self._exchange._store.cookie(self._exchange.choices["cookies"]["access"]))',
      ),
    ],
  },
  'renews-as-another': {
    wrong: 'renews a connection with the ticket of another wallet',
    breaks: ['client.ticket.same-principal'],
    patches: feed(RENEWS, `await self._send(action="authenticate", token=${OTHER_TICKET})`),
  },
  'two-wallets-on-one-socket': {
    wrong: 'authenticates its socket as two wallets',
    breaks: ['client.ticket.same-principal'],
    patches: [
      ...ENDS_WITH_SOCKET,
      ...feed(
        AUTHENTICATES,
        `${AUTHENTICATES}\n            await self._send(action="authenticate", token=${OTHER_TICKET})`,
      ),
    ],
  },
  'reconnects-with-old-ticket': {
    wrong: 'opens its next socket with the ticket of the previous one',
    breaks: ['client.ticket.fresh'],
    patches: feed(
      'ticket = await self._exchange.ticket()\n',
      'ticket = self.__dict__.get("old") or await self._exchange.ticket()\n        self.old = ticket\n',
    ),
  },
  'renews-with-old-ticket': {
    wrong: 'renews a connection with the ticket that it already has',
    breaks: ['client.ticket.fresh'],
    patches: [
      ...feed(AUTHENTICATES, `self.old = ticket\n            ${AUTHENTICATES}`),
      ...feed(
        RENEWS,
        'await self._exchange.ticket()\n                await self._send(action="authenticate", token=self.old)',
      ),
    ],
  },
  'never-renews': {
    wrong: 'never renews its connections',
    breaks: ['client.ticket.renewed'],
    patches: feed('RENEW_AFTER_SECONDS = 45', 'RENEW_AFTER_SECONDS = 3600'),
  },
  'renews-too-late': {
    wrong: 'renews its connections after two minutes',
    breaks: ['client.ticket.renewed'],
    patches: feed('RENEW_AFTER_SECONDS = 45', 'RENEW_AFTER_SECONDS = 120'),
  },
  'subscribes-first': {
    wrong: 'joins its rooms before it authenticates',
    breaks: ['client.socket.authenticates-first'],
    patches: [
      ...ENDS_WITH_SOCKET,
      ...feed(
        AUTHENTICATES,
        `await self._send(action="subscribe", room="pool_launches")\n            ${AUTHENTICATES}`,
      ),
    ],
  },
  'synchronizes-first': {
    wrong: 'synchronizes before it authenticates',
    breaks: ['client.socket.authenticates-first'],
    patches: [
      ...ENDS_WITH_SOCKET,
      ...feed(AUTHENTICATES, `await self._send(action="synchronize")\n            ${AUTHENTICATES}`),
    ],
  },
  'authenticates-late': {
    wrong: 'takes six seconds from opening a socket to authenticating it',
    breaks: ['client.socket.authenticates-in-time'],
    patches: feed(AUTHENTICATES, `await self._exchange._sleep(6)\n            ${AUTHENTICATES}`),
  },
  'waits-for-a-greeting': {
    wrong: 'waits for a message before it authenticates',
    breaks: ['client.socket.authenticates-in-time'],
    patches: [
      ...ENDS_WITH_SOCKET,
      ...feed(
        AUTHENTICATES,
        `asyncio.create_task(self._exchange._sleep(6))\n            await socket.recv()\n            ${AUTHENTICATES}`,
      ),
    ],
  },
  'joins-forty-rooms': {
    wrong: 'joins forty rooms on one connection',
    breaks: ['client.rooms.at-most-32'],
    patches: feed(JOINS, joinsRooms(40)),
  },
  'joins-one-too-many': {
    wrong: 'joins one room too many',
    breaks: ['client.rooms.at-most-32'],
    patches: feed(JOINS, joinsRooms(35)),
  },
  'watches-another': {
    wrong: 'joins the balance room of another wallet',
    breaks: ['client.rooms.own-balances'],
    patches: feed(
      JOINS,
      `await self._send(action="subscribe", room="balances:0x${'ab'.repeat(20)}")\n        ${JOINS}`,
    ),
  },
  'watches-all-its-wallets': {
    wrong: 'joins the balance room of its other wallet',
    breaks: ['client.rooms.own-balances'],
    patches: feed(
      JOINS,
      `await self._send(action="subscribe", room="balances:" + __import__("os").getenv("OTHER_ADDRESS"))\n        ${JOINS}`,
    ),
  },
  'floods-frames': {
    wrong: 'leaves and joins its rooms a hundred times',
    breaks: ['client.frames.bounded'],
    patches: feed(
      JOINS,
      `for _ in range(150):\n            await self._send(action="subscribe", room="pool_launches")\n            await self._send(action="unsubscribe", room="pool_launches")\n        ${ENDS}`,
    ),
  },
  'subscribes-again-and-again': {
    wrong: 'joins each of its rooms a hundred times',
    breaks: ['client.frames.bounded'],
    patches: feed(JOINS, `${JOINS.replace('self._rooms', 'self._rooms * 100')}\n        ${ENDS}`),
  },
  'pings-with-frames': {
    wrong: 'sends frames with the action ping',
    breaks: ['client.frames.valid'],
    patches: feed(JOINS, `await self._send(action="ping")\n        ${JOINS}`),
  },
  'subscribes-to-a-list': {
    wrong: 'sends a list of rooms in one frame',
    breaks: ['client.frames.valid'],
    patches: feed(JOINS, `await self._send(action="subscribe", rooms=self._rooms)\n        ${JOINS}`),
  },
  'sends-large-frames': {
    wrong: 'sends frames of more than 2 KB',
    breaks: ['client.frames.size'],
    patches: [
      ...ENDS_WITH_SOCKET,
      ...feed(
        'await self._socket.send(json.dumps(frame))',
        'await self._socket.send(json.dumps({**frame, "note": "x" * 3000}))',
      ),
    ],
  },
  'one-byte-too-many': {
    wrong: 'sends frames of 2,049 bytes',
    breaks: ['client.frames.size'],
    patches: [...ENDS_WITH_SOCKET, ...feed('json.dumps(frame)', 'json.dumps(frame).ljust(2049)')],
  },
}
