// @ts-check
// Where a number comes from. One popover serves the page: it stands beside the number that the
// pointer rests on, that has the focus, or that was tapped. Without this script a number is plain
// text with a quiet line under it.
(() => {
  const NUMBER = ".literate-number"
  const BUTTON = NUMBER + "[role]" // set up, and not inside a link or the like
  const GAP = 4 // between a number and its popover, in pixels
  const EDGE = 8 // between the popover and the window's edges
  const REST = 150 // how long the pointer rests before the popover opens, in milliseconds
  const GRACE = 300 // how long the popover waits for the pointer to come in, or back

  /** The number whose popover is open. @type {HTMLDataElement | null} */
  let current = null
  /** Opened by a click: the pointer may leave. */
  let pinned = false
  /** @type {number | undefined} */
  let timer

  /**
   * @param {string} tag
   * @param {(Node | string)[]} content
   */
  const make = (tag, ...content) => {
    const element = document.createElement(tag)
    element.append(...content)
    return element
  }

  const box = make("div")
  if (!box.showPopover) return
  box.className = "literate-popover"
  box.popover = "manual"
  box.role = "group"
  box.ariaLabel = "Where this number comes from"

  /** @type {typeof document.addEventListener} */
  const on = document.addEventListener.bind(document)

  /** The number that an event happened on. @param {any} target @returns {HTMLDataElement | null} */
  const numberOf = (target) => target.closest?.(BUTTON)

  /** @param {any} target */
  const inBox = (target) => box.contains(target)
  const focusInBox = () => inBox(document.activeElement)

  /** What is known of a number, and where there is more. @param {HTMLDataElement} number */
  const describe = (number) => {
    const { of, source, why, tol, at } = /** @type {any} */ (number.dataset)
    // The page of all numbers names its rows alike, so its address stands once, at the foot.
    const rows = /** @type {HTMLElement | null} */ (document.querySelector(".literate-foot"))?.dataset.rows
    const is = number.matches(".literate-claim") ? " is " : " = "
    const facts = make("p", of ? make("code", of) : "")
    const links = make("p")
    facts.id = "literate-facts"
    if (source || why) facts.append(source ? "Source: " + source : make("span", why))
    else facts.append(is, make("code", number.value), tol ? `, within ${tol}` : "")
    if (at) links.append(Object.assign(make("a", "Where it is computed"), { href: at }))
    if (rows) links.append(Object.assign(make("a", "List of numbers"), { href: rows + number.id }))
    return [facts, links, make("p", "← → other numbers")]
  }

  const place = () => {
    if (!current) return
    const { top, bottom, left, width } = current.getBoundingClientRect()
    const { clientWidth, clientHeight } = document.documentElement
    const above = top - GAP - box.offsetHeight
    const below = bottom + GAP
    const flip = above > 0 && below + box.offsetHeight > clientHeight
    const middle = left + (width - box.offsetWidth) / 2
    const inside = Math.max(EDGE, Math.min(middle, clientWidth - EDGE - box.offsetWidth))
    box.style.left = inside + scrollX + "px"
    box.style.top = (flip ? above : below) + scrollY + "px"
  }

  const close = () => {
    clearTimeout(timer)
    if (current) {
      current.ariaExpanded = "false"
      current.removeAttribute("aria-describedby")
    }
    current = null
    pinned = false
    box.remove()
  }

  /**
   * @param {HTMLDataElement} number
   * @param {boolean} pin
   */
  const open = (number, pin) => {
    if (number !== current) {
      close()
      current = number
      box.replaceChildren(...describe(number))
      // Right behind the number, so that the tab key and screen readers find it there.
      number.after(box)
      box.showPopover()
      number.ariaExpanded = "true"
      number.setAttribute("aria-describedby", "literate-facts")
      place()
    }
    clearTimeout(timer)
    pinned = pin
  }

  /**
   * Move the focus to the next number that can be seen, or the one before.
   * @param {HTMLDataElement} from
   * @param {number} by
   */
  const step = (from, by) => {
    /** @type {NodeListOf<HTMLDataElement>} */
    const all = document.querySelectorAll(BUTTON)
    const seen = [...all].filter((number) => number.checkVisibility())
    seen[seen.indexOf(from) + by]?.focus()
  }

  /** Unfold a block and move the focus there. @param {any} block */
  const lead = (block) => {
    block.closest("details")?.toggleAttribute("open", true) // the browser opens those around it
    block.tabIndex = -1
    block.classList.add("literate-here")
    setTimeout(() => block.focus({ preventScroll: true })) // once the link has scrolled there
  }

  on("pointerover", ({ target, pointerType, buttons }) => {
    if (pointerType === "touch" || buttons) return
    const number = numberOf(target)
    const focused = focusInBox()
    clearTimeout(timer)
    if (pinned || inBox(target) || number === current) return
    if (number && !focused) timer = setTimeout(() => open(number, false), REST)
    else if (!focused && !current?.matches(":focus-visible")) timer = setTimeout(close, GRACE)
  })

  on("click", ({ target, ctrlKey, metaKey }) => {
    const number = numberOf(target)
    if (number) number === current && pinned ? close() : open(number, true)
    const link = inBox(target) && /** @type {Element} */ (target).closest("a")
    const block = link && document.getElementById(link.hash.slice(1))?.nextElementSibling
    if (block && !ctrlKey && !metaKey) lead(block)
  })

  // Not at once: a finger may be about to scroll, a mouse to select what the popover says.
  on("pointerup", ({ target }) => {
    if (!inBox(target) && !numberOf(target) && getSelection()?.isCollapsed) close()
  })

  on("focusin", ({ target }) => {
    const number = numberOf(target)
    if (number?.matches(":focus-visible")) open(number, false)
    else if (number !== current && !inBox(target)) close()
  })

  on("keydown", (event) => {
    const { key, target } = event
    if (key === "Escape" && current) {
      if (focusInBox()) current.focus()
      close()
    }
    const number = numberOf(target)
    if (!number || event.altKey || event.ctrlKey || event.metaKey) return
    if (key === "ArrowLeft") step(number, -1)
    else if (key === "ArrowRight") step(number, 1)
    else if (key !== "Enter" && key !== " ") return
    else if (number === current) close()
    else open(number, true)
    event.preventDefault()
  })

  addEventListener("resize", place)

  // Numbers become buttons. So that there are not too many stops for the tab key, only one of
  // each section is one: at first its first, then the last that had the focus.
  const setUp = () => {
    close()
    /** By what its numbers are folded away in. @type {Map<Element | null, HTMLElement[]>} */
    let sections = new Map()
    /** @type {NodeListOf<HTMLDataElement>} */
    const found = document.querySelectorAll("h1, h2, h3, " + NUMBER)
    for (const number of found) {
      const fold = number.closest("details, .tabbed-block")
      const section = sections.get(fold) ?? []
      if (!number.matches(NUMBER)) sections = new Map()
      else if (!number.closest("a, label, summary")) {
        sections.set(fold, section)
        number.role = "button"
        number.ariaExpanded = "false"
        // In the name of a button a formula would count as its bare letters and digits.
        const tex = number.querySelector("annotation")
        tex?.closest("math")?.setAttribute("aria-label", tex.textContent)
        number.tabIndex = section.push(number) > 1 ? -1 : 0
        number.onfocus = () => {
          for (const other of section) other.tabIndex = other === number ? 0 : -1
        }
      }
    }
  }

  // Material for MkDocs tells of each page that its instant navigation brings.
  const { document$ } = /** @type {any} */ (window)
  if (document$) document$.subscribe(setUp)
  else on("DOMContentLoaded", setUp)
})()
