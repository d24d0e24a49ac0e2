/*
 * Plain browser script, no module: opens folded details for print, except passed rules, which are listed there, and
 * the tables next to charts.
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
