/*
 * Runs in the report's page: what is folded is opened on paper, but for rules that held, which are listed there, and the tables
 * beside charts. Plain browser script, no module.
 */
;(() => {
  const FOLDED = 'section:not([aria-labelledby="latency"]) details:not(.folded, [open])'
  let opened = []

  addEventListener('beforeprint', () => {
    opened = [...document.querySelectorAll(FOLDED)]
    for (const fold of opened) fold.open = true
  })
  addEventListener('afterprint', () => {
    for (const fold of opened) fold.open = false
  })
})()
