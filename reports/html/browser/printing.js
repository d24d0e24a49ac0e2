/** In CSS pixels: what is between the margins of A4, and of US letter. */
const PAPER_WIDTH = 680

/**
 * Paper is light, and as wide as it is, whatever the screen: `redraw` is called with that width before a page is printed, and
 * without after. What is folded is opened meanwhile.
 */
export function enablePrinting(redraw) {
  const root = document.documentElement
  let opened = []
  addEventListener('beforeprint', () => {
    root.dataset.print = ''
    opened = [...document.querySelectorAll('details:not([open])')]
    for (const fold of opened) fold.open = true
    redraw(PAPER_WIDTH)
  })
  addEventListener('afterprint', () => {
    delete root.dataset.print
    for (const fold of opened) fold.open = false
    redraw()
  })
}
