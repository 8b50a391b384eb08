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

// Tooltips: Escape closes them where they are in the way, and a finger, which can only follow the
// link, sees none.
{
  const root = document.documentElement

  document.addEventListener("keydown", (event) => {
    root.classList.remove("by-touch")
    if (event.key !== "Escape") return
    document
      .querySelectorAll(".md-tooltip2--active")
      .forEach((tooltip) => tooltip.classList.remove("md-tooltip2--active"))
  })
  document.addEventListener(
    "pointerover",
    (event) => root.classList.toggle("by-touch", event.pointerType === "touch"),
    true,
  )
}
