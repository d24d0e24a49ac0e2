/**
 * Bugs between exchanges and their clients, from public issue threads, and their counterparts here: cases reproduce a bug,
 * faults expose your own client to it, rules detect it. simulator/mutants/case-mutants.ts lists the stubs that have it.
 */
export type FieldBug = {
  /** In our own words. */
  happened: string
  /** Public threads that report it: `owner/name #number`. */
  threads: readonly string[]
  /** Names from fixtures/cases. */
  cases: readonly string[]
  /** Names of faults. */
  faults: readonly string[]
  /** Rules that bind clients, checked by the observer, and rules that bind the exchange. */
  rules: readonly string[]
}

export const FIELD_BUGS: readonly FieldBug[] = [
  {
    happened:
      'After a reconnect the client did not subscribe again, and mistook the silence for a quiet market.',
    threads: [
      'Petersoj/alpaca-java #67',
      'knowm/XChange #4431',
      'slazarov/python-bittrex-websocket #34',
      'alpacahq/alpaca-trade-api-go #48',
    ],
    cases: ['silent-after-reconnect', 'reconnect-1012-deploy', 'reconnect-storm'],
    faults: ['ws-close'],
    rules: ['client.reconnect.resubscribes', 'ws.restart.restores'],
  },
  {
    happened: 'After a reconnect the client subscribed again without authenticating the socket.',
    threads: ['alpacahq/alpaca-trade-api-go #49'],
    cases: ['reconnect-unauthenticated'],
    faults: ['ws-close'],
    rules: ['client.socket.authenticates-first', 'ws.auth.required'],
  },
  {
    happened:
      'The client subscribed before the new socket was ready, or while the old one was still closing.',
    threads: ['aphtoken/aph-wallet-gui #141', 'bitfinexcom/bitfinex-api-node #399'],
    cases: ['subscribe-before-open'],
    faults: ['ws-close'],
    rules: ['client.socket.authenticates-first', 'ws.auth.required'],
  },
  {
    happened: 'A socket stayed open without an error and without any data, for hours.',
    threads: ['coinbase/coinbase-pro-node #104', 'bitfinexcom/bitfinex-api-node #112'],
    cases: ['mute-socket'],
    faults: ['ws-blackhole'],
    rules: ['client.reconnect.synchronizes', 'ws.sync.answered'],
  },
  {
    happened: 'The socket opened and closed repeatedly: a reconnect loop without backoff.',
    threads: ['bennycode/coinbase-pro-node #107'],
    cases: ['reconnect-loop-without-backoff', 'reconnect-storm'],
    faults: ['ws-close', 'ws-handshake-error', 'ws-handshake-reset'],
    rules: ['client.reconnect.backs-off'],
  },
  {
    happened: 'State from before a gap was merged with the new snapshot, so stale price levels remained.',
    threads: ['ccxt/ccxt #29210'],
    cases: ['ghost-state-after-gap', 'missed-events-resync'],
    faults: ['ws-drop'],
    rules: ['client.resync.refetches', 'client.reconnect.refetches', 'ws.delivery.not-replayed'],
  },
  {
    happened:
      'Events that arrived while the snapshot was loading were lost, or newer ones were dropped when it was loaded again.',
    threads: ['danpaquin/coinbasepro-python #212', 'MtkN1/pybotters #564'],
    cases: ['snapshot-races-feed'],
    faults: ['ws-delay', 'ws-reorder', 'slow-indexer'],
    rules: ['client.reconnect.refetches', 'ws.sync.subscriptions-active'],
  },
  {
    happened: 'The client ignored 429, was banned, and still continued.',
    threads: ['GuntharDeNiro/BTCT #427', 'hummingbot/hummingbot #1291', 'taniman/profit-trailer #444'],
    cases: ['rate-limit-burst', 'frame-limit-burst', 'revision-pending-loop'],
    faults: ['http-429'],
    rules: ['client.429.waits', 'client.frames.bounded', 'rate-limit.wait.recovers'],
  },
  {
    happened: 'Several bots behind one address shared a limit and starved each other.',
    threads: ['taniman/profit-trailer #444', 'taniman/profit-trailer #1339'],
    cases: ['rate-limit-two-clients-one-ip'],
    faults: ['http-429'],
    rules: ['client.429.waits', 'rate-limit.burst.429'],
  },
  {
    happened: 'A 429 came as an HTML page and broke the parser of error bodies.',
    threads: ['freqtrade/freqtrade #3361'],
    cases: ['rate-limit-html-body'],
    faults: ['http-malformed'],
    rules: ['client.429.waits'],
  },
  {
    happened: 'One failed call triggered a burst of calls to undo and redo the others.',
    threads: ['CryptoMF/frostybot-js #67'],
    cases: ['failed-call-burst'],
    faults: ['http-error'],
    rules: ['client.5xx.bounded', 'client.5xx.backs-off', 'client.429.waits'],
  },
  {
    happened:
      'Two tabs refreshed at the same time, and both were signed out: the exchange treated the loser’s token as stolen.',
    threads: ['opendefender/OpenRisk #700', 'fliks-app/fliks #457', 'Canopus-Labs/PrepPilot #1388'],
    cases: ['refresh-race-two-tabs', 'refresh-race-fifty'],
    faults: ['refresh-window'],
    rules: ['auth.refresh.race-survives', 'auth.refresh.race-of-50'],
  },
  {
    happened: 'The response to the loser of a refresh race cleared the cookies that the winner had set.',
    threads: ['letsrevel/revel-frontend #950', 'ScaleOvenStove/crosswithfriends #566'],
    cases: ['loser-clears-cookies'],
    faults: ['refresh-window'],
    rules: ['auth.refresh.race-survives'],
  },
  {
    happened:
      'A refresh race had two winners; one of them was stranded, and signed out when its token expired.',
    threads: ['Bike4Mind/bike4mind #1801'],
    cases: ['two-winners'],
    faults: ['refresh-window'],
    rules: ['auth.refresh.race-one-winner'],
  },
  {
    happened: 'The loser of a refresh race got “not signed in”, and showed the login page.',
    threads: ['nightscout/nocturne #391'],
    cases: ['refresh-loser-retries-too-early'],
    faults: ['refresh-window'],
    rules: ['client.refresh.retries-after-409'],
  },
  {
    happened: 'The response to a refresh never arrived, and the client was left with a dead token.',
    threads: ['nhost/hasura-backend-plus #220'],
    cases: ['refresh-response-lost'],
    faults: ['refresh-lost'],
    rules: ['client.401.replaces', 'auth.verify.signs-in'],
  },
]
