/* Runs in the report's page: the buttons that filter the rules by verdict. Plain browser script, no module. */
;(() => {
  function enableFilter() {
    const bar = document.querySelector('.filter')
    if (bar === null) return
    bar.hidden = false
    bar.addEventListener('click', (event) => {
      const chosen = event.target.closest('button')
      if (chosen === null) return
      for (const button of bar.querySelectorAll('button')) {
        button.setAttribute('aria-pressed', String(button === chosen))
      }
      for (const row of document.querySelectorAll('tr[data-verdict]')) {
        row.hidden = chosen.dataset.filter !== 'all' && chosen.dataset.filter !== row.dataset.verdict
      }
    })
  }

  enableFilter()
})()
