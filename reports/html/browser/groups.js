const HASH = '#group='

/**
 * The choice of the group of routes whose charts are shown, which the page's address keeps. Answers how to tell which it is,
 * by place. `onChange` is called when another is chosen.
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

/** As an address bears it; half of a character, which it cannot bear, as a question mark. */
function encoded(name) {
  return encodeURIComponent(name.replaceAll(/\p{Cs}/gu, '?'))
}
