const HASH = '#group='

/**
 * Lets the reader select the group of routes whose charts are shown, and keeps the selection in the page's address.
 * Returns a function that gives the index of the selected group. `onChange` is called on a new selection.
 */
export function enableGroups(names, onChange) {
  const select = document.getElementById('group')
  const chosen = () => (select === null ? 0 : Number(select.value))
  if (select === null) return chosen
  const show = () => {
    for (const part of document.querySelectorAll('[data-group]'))
      part.hidden = part.dataset.group !== select.value
  }
  const follow = () => {
    const place = names.findIndex((name) => location.hash === HASH + encoded(name))
    if (place !== -1) select.value = String(place)
    show()
  }
  select.closest('.group-choice').hidden = false
  select.addEventListener('change', () => {
    history.replaceState(null, '', HASH + encoded(names[chosen()]))
    show()
    onChange()
  })
  addEventListener('hashchange', () => {
    follow()
    onChange()
  })
  follow()
  return chosen
}

/** An address cannot hold a lone surrogate, so it becomes a question mark. */
function encoded(name) {
  return encodeURIComponent(name.replaceAll(/\p{Cs}/gu, '?'))
}
