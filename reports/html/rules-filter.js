/* Plain browser script, no module: the buttons that filter the rules by verdict. */
;(() => {
  const bar = document.querySelector('.filter')
  if (bar === null) return
  bar.hidden = false
  bar.addEventListener('click', (event) => {
    const chosen = event.target.closest('button')
    if (chosen === null) return
    for (const button of bar.querySelectorAll('button')) {
      button.setAttribute('aria-pressed', String(button === chosen))
    }
    show(chosen.dataset.filter)
  })

  /** Opens the folded groups of a verdict that was selected by name. */
  function show(filter) {
    for (const part of document.querySelectorAll('section [data-verdict]')) {
      const isRequested = filter === part.dataset.verdict
      part.hidden = filter !== 'all' && !isRequested
      if (part.matches('details')) part.open = isRequested
    }
    for (const table of document.querySelectorAll('section > .rules')) {
      table.hidden = table.querySelector('tbody tr:not([hidden])') === null
    }
  }
})()
