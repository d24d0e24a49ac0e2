import type { MutantTable } from './mutant-table.ts'

export const FEED_MUTANTS = {
  'ws-33-rooms': { breaks: 'a socket may hold 33 rooms', rules: ['ws.rooms.at-most-32'] },
  'ws-300-frames': { breaks: 'a socket may send 300 frames a minute', rules: ['ws.frames.at-most-240'] },
  'ws-4kb-frames': { breaks: 'frames of up to 4 KB are taken', rules: ['ws.frame.over-2048-refused'] },
  'ws-foreign-balances': { breaks: 'any balance room may be joined', rules: ['ws.rooms.foreign-balance'] },
  'ws-no-deadline': { breaks: 'a socket may authenticate whenever it likes', rules: ['ws.auth.deadline-5s'] },
  'ws-tickets-forever': {
    breaks: 'tickets never expire',
    rules: ['ws.ticket.expires-60s', 'ws.ticket.ends-connection'],
  },
  'ws-tickets-30-s': {
    breaks: 'tickets last 30 seconds',
    rules: ['ws.ticket.lives-60s', 'ws.ticket.renewal', 'ws.frames.240-accepted'],
  },
  'ws-31-rooms': { breaks: 'a socket may hold 31 rooms', rules: ['ws.rooms.32-deliver'] },
  'ws-200-frames': { breaks: 'a socket may send 200 frames a minute', rules: ['ws.frames.240-accepted'] },
  'ws-1kb-frames': { breaks: 'frames of more than 1 KB are refused', rules: ['ws.frame.2000-accepted'] },
  'ws-serves-strangers': {
    breaks: 'a socket is served without authentication',
    rules: ['ws.auth.required', 'ws.auth.deadline-5s'],
  },
  'ws-unsubscribe-ignored': {
    breaks: 'a room is never left',
    rules: ['ws.rooms.unsubscribe', 'ws.rooms.freed'],
  },
  'ws-takes-api-tokens': {
    breaks: 'the authenticate frame takes an API token',
    rules: ['ws.auth.rejects-api-token'],
  },
  'ws-takes-session-tokens': {
    breaks: 'the authenticate frame takes an access token',
    rules: ['ws.auth.rejects-session-token'],
  },
  'ws-takes-any-ticket': {
    breaks: 'whatever the authenticate frame holds is taken for a ticket',
    rules: [
      'ws.auth.rejects-unknown',
      'ws.auth.rejects-api-token',
      'ws.auth.rejects-session-token',
      'ws.ticket.expires-60s',
    ],
  },
  'ws-ticket-end-unread': {
    breaks: 'the gateway does not look at the last 8 characters of a ticket',
    rules: ['ws.auth.rejects-unknown'],
  },
  'ws-ticket-start-unread': {
    breaks: 'the gateway does not look at the first 8 characters of a ticket',
    rules: ['ws.auth.rejects-unknown'],
  },
  'ws-takes-handshake-credentials': {
    breaks: 'an API token in the headers of the handshake authenticates the socket',
    rules: ['ws.auth.rejects-handshake'],
  },
  'ws-tickets-refused': { breaks: 'no ticket authenticates', rules: ['ws.auth.ticket'] },
  'ws-sync-mute': { breaks: 'synchronize is not answered', rules: ['ws.sync.answered', 'ws.auth.ticket'] },
  'ws-deadline-3-s': {
    breaks: 'a socket has to authenticate within 3 seconds',
    rules: ['ws.auth.within-5s'],
  },
  'ws-ticket-for-anyone': {
    breaks: 'tickets are handed out without credentials',
    rules: ['ws.ticket.needs-credentials'],
  },
  'ws-ticket-not-by-session': {
    breaks: 'a session gets no ticket',
    rules: ['ws.ticket.by-session'],
  },
  'ws-ticket-not-by-api-token': {
    breaks: 'an API token gets no ticket',
    rules: ['ws.ticket.by-api-token', 'api-token.bearer.ticket'],
  },
  'ws-renewal-ignored': { breaks: 'a renewal has no effect', rules: ['ws.ticket.renewal'] },
  'ws-renewal-by-anyone': {
    breaks: 'a ticket of another wallet renews the connection',
    rules: ['ws.ticket.renewal-other-principal'],
  },
  'ws-own-balance-refused': {
    breaks: 'the balance room of the own address cannot be joined',
    rules: ['ws.rooms.own-balance'],
  },
  'ws-rooms-not-freed': { breaks: 'a room that was left keeps its place', rules: ['ws.rooms.freed'] },
  'ws-no-stats': { breaks: 'no PoolStats is sent', rules: ['ws.rooms.pool-stats'] },
  'ws-no-candles': { breaks: 'no Ohlcv is sent', rules: ['ws.rooms.ohlcv'] },
  'ws-trades-as-swaps': { breaks: 'trades come as events of the type Swap', rules: ['ws.rooms.trades'] },
  'ws-no-launches': { breaks: 'no PoolLaunch is sent', rules: ['ws.rooms.pool-launches'] },
  'ws-no-config': { breaks: 'no ProtocolConfigChanged is sent', rules: ['ws.rooms.protocol-config'] },
  'ws-balances-in-pool-rooms': {
    breaks: 'rooms of pools also get events of the type BalanceChange',
    rules: ['ws.rooms.only-subscribed'],
  },
  'ws-event-bare': { breaks: 'some events have no data', rules: ['ws.event.shape'] },
  'ws-prices-are-numbers': {
    breaks: 'prices in events are JSON numbers',
    rules: ['ws.event.exact-values'],
  },
  'ws-config-without-block': {
    breaks: 'ProtocolConfigChanged does not say which block it was observed at',
    rules: ['ws.event.config'],
  },
  'ws-config-ahead': {
    breaks: 'ProtocolConfigChanged names a revision that never comes',
    rules: ['ws.config.agrees'],
  },
  'ws-launch-key-cut': {
    breaks: 'PoolLaunch cuts the key of the pool short',
    rules: ['ws.launch.readable'],
  },
  'ws-sync-early': {
    breaks: 'synchronized comes before subscriptions of pool_stats are active',
    rules: ['ws.sync.subscriptions-active'],
  },
  'ws-trades-twice': { breaks: 'each trade is sent twice', rules: ['ws.delivery.at-most-once'] },
  'ws-replays': {
    breaks: 'the last events of a room are sent to who joins it',
    rules: ['ws.delivery.not-replayed'],
  },
  'ws-restart-deaf': {
    breaks: 'a restart leaves sockets open, and no frame of theirs is acted on any more',
    rules: ['ws.restart.closes-1012'],
  },
  'ws-restart-strands': { breaks: 'after a restart no ticket authenticates', rules: ['ws.restart.restores'] },
} as const satisfies MutantTable
