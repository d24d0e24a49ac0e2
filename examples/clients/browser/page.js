/** The page: the largest pools, with live prices for signed-in users. */
import { atEvent, createExchange } from './exchange.js'
import { openFeed } from './feed.js'

const ROWS = 10

const profile = await (await fetch('stub.json')).json()
const wallets = await (await fetch(profile.credentials.wallets)).json()
const { choices } = profile
const exchange = createExchange({ baseUrl: sameSite(profile.baseUrl), choices })
globalThis.exchange = exchange // for the browser console

const [walletSelect, status, pools] = ['wallet', 'status', 'pools'].map((id) => document.getElementById(id))
walletSelect.append(...wallets.map(({ address }) => new Option(address)))
onClick('sign-in', signIn)
onClick('sign-out', signOut)

let feed
const { data } = await exchange.request(`/explore/pools?limit=${ROWS}`)
pools.append(...data.map(poolRow))
// Resumes the session of an earlier visit.
await exchange.resume().then(follow, () => say('signed out'))

async function signIn() {
  const address = walletSelect.value
  await exchange.signIn(wallets.find((wallet) => wallet.address === address))
  follow()
}

async function signOut() {
  feed?.close()
  await exchange.signOut()
  say('signed out')
}

function follow() {
  feed?.close()
  feed = openFeed({
    wsUrl: sameSite(profile.wsUrl),
    ticket: exchange.ticket,
    rooms: [...pools.children].map(({ dataset }) => `pool_stats:${dataset.key}`),
    onEvent: showEvent,
    async onRefetch() {
      say('loading')
      await Promise.all([...pools.children].map(reload))
      say('signed in, live')
    },
    onStop: (error) => say(error.message),
  })
}

/** Reloads the rows of the same pools. */
async function reload(row) {
  const { key } = row.dataset
  const { data } = await exchange.request(`/explore/pools?search=${encodeURIComponent(key)}`)
  const pool = data.find((found) => found.key === key)
  if (pool) row.replaceWith(poolRow(pool))
}

function poolRow({ key, token0Symbol, token1Symbol, price, tvlUsd }) {
  const row = document.createElement('tr')
  row.dataset.key = key
  // As text, never as markup, because anyone can choose a token name; and verbatim, because numbers would
  // lose precision.
  for (const text of [`${token0Symbol} / ${token1Symbol}`, price ?? '–', tvlUsd ?? '–']) {
    row.insertCell().textContent = text
  }
  return row
}

function showEvent(event) {
  const row = [...pools.children].find(({ dataset }) => dataset.key === atEvent(event, choices.events.pool))
  if (row) row.cells[1].textContent = event.data.price
}

function onClick(id, act) {
  document.getElementById(id).addEventListener('click', () => act().catch((error) => say(error.message)))
}

function say(text) {
  status.textContent = text
}

/** localhost and 127.0.0.1 are different sites, so the exchange is addressed by the page's host name. */
function sameSite(address) {
  const url = new URL(address)
  const names = ['localhost', '127.0.0.1']
  if (names.includes(url.hostname) && names.includes(location.hostname)) url.hostname = location.hostname
  return url.href.replace(/\/$/, '')
}
