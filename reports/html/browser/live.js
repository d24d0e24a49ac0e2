import { enableCharts } from './charts.js'

let data = JSON.parse(document.getElementById('data').textContent)

const status = document.getElementById('status')
const redraw = enableCharts(() => data)
if (document.body.querySelector('#live').dataset.over === undefined) follow(new EventSource('events'))

/** Each event has the whole state of the page. The browser connects again after an error. */
function follow(events) {
  events.addEventListener('message', (event) => {
    const state = JSON.parse(event.data)
    show(state)
    if (state.isOver) events.close()
  })
  events.addEventListener('error', () => {
    setStatus('No connection to the run: it may have ended. The figures are the last ones received.')
  })
}

function show({ title, status: text, content, data: fresh }) {
  data = fresh
  document.title = title
  setStatus(text)
  const template = document.createElement('template')
  template.innerHTML = content
  morphChildren(document.getElementById('live'), template.content)
  redraw()
  document.dispatchEvent(new Event('morphed'))
}

/** Screen readers read a text again whenever it is set. */
function setStatus(text) {
  if (status.textContent !== text) status.textContent = text
}

/**
 * Makes the children of `old` equal to those of `fresh`, and keeps the elements that both have: with them focus, scroll
 * position, and open details.
 */
function morphChildren(old, fresh) {
  for (const [place, wanted] of [...fresh.childNodes].entries()) {
    const current = findSame(old, wanted, place)
    if (current === undefined) {
      old.insertBefore(wanted.cloneNode(true), old.childNodes[place] ?? null)
      continue
    }
    if (current !== old.childNodes[place]) old.insertBefore(current, old.childNodes[place])
    morphNode(current, wanted)
  }
  while (old.childNodes.length > fresh.childNodes.length) old.lastChild.remove()
}

/** The child with the same key; without a key, the one at the same place if it can become the wanted one. */
function findSame(old, wanted, place) {
  const key = readKey(wanted)
  if (key !== undefined) return [...old.childNodes].find((child) => readKey(child) === key)
  const current = old.childNodes[place]
  return current?.nodeName === wanted.nodeName && readKey(current) === undefined ? current : undefined
}

/** A name of an element that no other one next to it has; undefined if it has none. */
function readKey(node) {
  if (node.nodeType !== Node.ELEMENT_NODE) return undefined
  return node.getAttribute('aria-labelledby') ?? (node.id || node.querySelector(':scope > .chart')?.id)
}

/** Set by scripts or the reader, so that the server's value must not replace it. */
const OWN_ATTRIBUTES = {
  DETAILS: ['open'],
  DIV: ['hidden'],
  P: ['hidden'],
}

function morphNode(old, fresh) {
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue
    return
  }
  const own = ['role', ...(OWN_ATTRIBUTES[old.nodeName] ?? [])]
  for (const { name } of [...old.attributes])
    if (!own.includes(name) && !fresh.hasAttribute(name)) old.removeAttribute(name)
  for (const { name, value } of fresh.attributes)
    if (!own.includes(name) && old.getAttribute(name) !== value) old.setAttribute(name, value)
  // A script draws into it.
  if (!old.classList.contains('chart') && old.id !== 'chart-caption') morphChildren(old, fresh)
}
