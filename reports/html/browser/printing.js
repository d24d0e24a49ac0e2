/** In CSS pixels: what is between the margins of A4, and of US letter. */
const PAPER_WIDTH = 680

/**
 * Paper is light, and as wide as it is, whatever the screen: `redraw` is called with that width before a page is printed, and
 * without after. Meanwhile the page's styles see `data-print`.
 */
export function enablePrinting(redraw) {
  const { dataset } = document.documentElement
  addEventListener('beforeprint', () => {
    dataset.print = ''
    redraw(PAPER_WIDTH)
  })
  addEventListener('afterprint', () => {
    delete dataset.print
    redraw()
  })
}
