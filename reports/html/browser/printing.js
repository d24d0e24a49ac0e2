/** CSS pixels: fits between the margins of A4 and US letter. */
const PAPER_WIDTH = 680

/**
 * Prints in the light theme and at paper width: calls `redraw` with that width before a page is printed, and without
 * one afterwards. During printing the root has `data-print` for the styles.
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
