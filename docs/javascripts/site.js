// Small mends to what Material for MkDocs makes, for those who do not use a mouse.
document$.subscribe(() => {
  const all = (selector) => document.querySelectorAll(selector)

  // A dialog needs a name; the bar of a copy button is no navigation.
  all(".md-search").forEach((search) => search.setAttribute("aria-label", "Search"))
  all(".md-code__nav").forEach((bar) => bar.setAttribute("role", "none"))

  // A table wider than the page can be scrolled from the keyboard.
  all(".md-typeset__scrollwrap").forEach((wrap) => {
    if (wrap.scrollWidth > wrap.clientWidth) wrap.tabIndex = 0
  })
})
