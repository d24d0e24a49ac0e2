/* Runs in the page of a timeline: a lane that is chosen shows its lines alone, and the steps between them; a mark whose line
   is folded away opens what it stands in. Plain browser script, no module. */
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
