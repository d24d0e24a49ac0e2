/*
 * Plain browser script, no module: selecting a lane shows only its lines and the steps; a mark whose line is folded
 * opens its details.
 */
;(() => {
  const buttons = [...document.querySelectorAll('.lane button')]

  for (const button of buttons) button.addEventListener('click', () => choose(button))
  addEventListener('hashchange', unfold)
  unfold()

  function choose(chosen) {
    const pressed = chosen.getAttribute('aria-pressed') !== 'true'
    for (const button of buttons) button.setAttribute('aria-pressed', String(pressed && button === chosen))
    const { lane } = chosen.closest('.lane').dataset
    for (const row of document.querySelectorAll('tr[data-lane]'))
      row.hidden = pressed && row.dataset.lane !== lane
  }

  function unfold() {
    const line = document.getElementById(location.hash.slice(1))
    if (line === null) return
    for (let around = line.parentElement; around !== null; around = around.parentElement) {
      if (around.localName === 'details') around.open = true
    }
    line.scrollIntoView({ block: 'center' })
  }
})()
