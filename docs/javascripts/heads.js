// @ts-check
// Head browsers: choose a layer and a head, and see where each token looks.
//
// A page brings the maps as tables with their numbers in a JSON script, or names a file. Where
// this script runs, controls take the place of the tables.

/** @typedef {{scale: number, tokens: string[], maps: number[][][][]}} Maps */

{
  const BLUE = "59 130 196" // seen on a light page and on a dark one

  /**
   * An element with attributes and children.
   *
   * @param {string} name
   * @param {Record<string, string>} attributes
   * @param {...(Node | string)} children
   */
  function make(name, attributes, ...children) {
    const element = document.createElement(name)
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
    element.append(...children)
    return element
  }

  /** A token as text: its blanks and line ends are seen. @param {string} token */
  const shown = (token) => token.replace(/^ /, "·").replace(/\n/g, "↵") || "∅"

  /** A weight with two decimals. @param {number} weight */
  const number = (weight) => weight.toFixed(2)

  /**
   * Buttons of which one is chosen, by pointer or by arrow keys.
   *
   * @param {HTMLElement[]} buttons
   * @param {number} columns how many stand in a row
   * @param {(index: number) => void} choose
   */
  function radios(buttons, columns, choose) {
    /** @param {number} index */
    const select = (index) => {
      buttons.forEach((button, k) => {
        button.setAttribute("aria-checked", String(k === index))
        button.tabIndex = k === index ? 0 : -1
      })
      choose(index)
    }
    // Past an end it goes on at the other, as in every radio group; up and down stay in a column.
    const count = buttons.length
    const [up, down] = columns < count ? [-columns, columns] : [-1, 1]
    /** @type {Record<string, (at: number) => number>} */
    const moves = {
      ArrowLeft: (at) => at - 1,
      ArrowRight: (at) => at + 1,
      ArrowUp: (at) => at + up,
      ArrowDown: (at) => at + down,
      Home: () => 0,
      End: () => count - 1,
    }
    buttons.forEach((button, index) => {
      button.addEventListener("click", () => select(index))
      button.addEventListener("keydown", (event) => {
        const move = moves[event.key]
        if (!move || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
        event.preventDefault()
        const to = (move(index) + count) % count
        buttons[to].focus()
        select(to)
      })
    })
    return select
  }

  /**
   * A row's weights as colours: from 0 to 1, or without the first token from 0 to the largest.
   *
   * @param {number[]} row
   * @param {boolean} rest
   */
  function shades(row, rest) {
    if (!rest) return row
    const most = Math.max(...row.slice(1), 0)
    return row.map((weight, j) => (j && most ? weight / most : 0))
  }

  /**
   * Draw a map as large as its numbers, a pixel for each.
   *
   * @param {HTMLCanvasElement} canvas
   * @param {number[][]} rows
   * @param {boolean} rest without the first token
   */
  function draw(canvas, rows, rest) {
    canvas.width = canvas.height = rows.length
    const context = canvas.getContext("2d")
    if (!context) return
    const most = rest ? Math.max(...rows.flatMap((row) => row.slice(1)), 0) || 1 : 1
    rows.forEach((row, i) =>
      row.forEach((weight, j) => {
        if (rest && !j) return
        context.fillStyle = `rgb(${BLUE} / ${weight / most})`
        context.fillRect(j, i, 1, 1)
      }),
    )
  }

  /**
   * The controls for some maps.
   *
   * @param {Maps} data
   * @param {number} layer shown first
   * @param {number} head
   */
  function browser({ scale, tokens, maps }, layer, head) {
    const weights = maps.map((heads) =>
      heads.map((rows) => rows.map((row) => row.map((thousandths) => thousandths / scale))),
    )
    const columns = weights[0].length
    const places = weights.flatMap((heads, l) => heads.map((rows, h) => ({ l, h, rows })))
    let rows = weights[layer][head]
    let looking = tokens.length - 1

    const heads = places.map(({ l, h }) =>
      make(
        "button",
        { type: "button", role: "radio", "aria-label": `layer ${l}, head ${h}`, title: `${l}.${h}` },
        make("canvas", { "aria-hidden": "true" }),
      ),
    )
    const words = tokens.map((token, i) =>
      make(
        "button",
        { type: "button", role: "radio", "aria-label": `${token.trim() || "blank"}, position ${i}` },
        make("span", { "aria-hidden": "true" }, shown(token)),
        make("small", { "aria-hidden": "true" }),
      ),
    )
    const name = make("p", { class: "heads-name", "aria-live": "polite" })
    const said = make("p", { class: "heads-said", "aria-live": "polite" })
    const box = /** @type {HTMLInputElement} */ (make("input", { type: "checkbox" }))

    const tell = () => {
      const row = rows[looking]
      const order = row.map((_, j) => j).filter((j) => row[j] >= 0.005 && !(box.checked && !j))
      order.sort((a, b) => row[b] - row[a])
      const most = order.slice(0, 4).map((j) => `“${tokens[j].trim()}” (${j}) ${number(row[j])}`)
      const others = most.join(", ") || "nothing else"
      said.textContent = `“${tokens[looking].trim()}”, at position ${looking}, looks at: ${others}.`
      const colours = shades(row, box.checked)
      words.forEach((word, j) => {
        const hidden = j > looking
        const left = box.checked && !j
        word.classList.toggle("later", hidden)
        word.classList.toggle("left-out", left)
        word.style.setProperty("--w", String(hidden || left ? 0 : colours[j]))
        const small = word.querySelector("small")
        if (small) small.textContent = hidden ? "" : number(row[j])
      })
    }
    const paint = () =>
      places.forEach((place, k) => {
        const canvas = heads[k].querySelector("canvas")
        if (canvas) draw(canvas, place.rows, box.checked)
      })

    const chooseHead = radios(heads, columns, (index) => {
      const { l, h } = places[index]
      rows = places[index].rows
      name.textContent = `Layer ${l}, head ${h}`
      tell()
    })
    const chooseWord = radios(words, words.length, (index) => {
      looking = index
      tell()
    })
    words.forEach((word, index) => {
      word.addEventListener("pointerenter", (event) => {
        if (event.pointerType === "mouse") chooseWord(index)
      })
      word.addEventListener("focus", () => chooseWord(index))
    })
    box.addEventListener("change", () => {
      paint()
      tell()
    })

    paint()
    chooseHead(layer * columns + head)
    chooseWord(looking)
    return make(
      "div",
      { class: "heads" },
      make("p", { class: "heads-hint" }, `Layers from top to bottom, heads from left to right:`),
      make(
        "div",
        { class: "heads-grid", role: "radiogroup", "aria-label": "head", style: `--columns:${columns}` },
        ...heads,
      ),
      name,
      make("div", { class: "heads-words", role: "radiogroup", "aria-label": "token that looks" }, ...words),
      said,
      make("label", {}, box, " Leave out the first token, and let the colours span the others"),
    )
  }

  /**
   * Put controls in the place of the tables.
   *
   * @param {HTMLElement} place
   * @param {Maps} data
   */
  function install(place, data) {
    const { layer = "0", head = "0" } = place.dataset
    place.querySelectorAll(":scope > :not(script)").forEach((table) => table.remove())
    place.append(browser(data, Number(layer), Number(head)))
  }

  /** Fetch the maps once the reader comes near. @param {HTMLElement} place @param {string} source */
  function fetchNear(place, source) {
    const observer = new IntersectionObserver(
      async ([entry]) => {
        if (!entry.isIntersecting) return
        observer.disconnect()
        try {
          const answer = await fetch(source)
          if (!answer.ok) throw new Error(`status ${answer.status}`)
          install(place, await answer.json())
        } catch (error) {
          const reason = error instanceof Error ? error.message : String(error)
          place.append(make("p", { role: "alert" }, `The maps could not be loaded (${reason}).`))
        }
      },
      { rootMargin: "400px" },
    )
    observer.observe(place)
  }

  for (const element of document.querySelectorAll(".attention-heads")) {
    const place = /** @type {HTMLElement} */ (element)
    const script = place.querySelector(":scope > script")
    if (script?.textContent) install(place, JSON.parse(script.textContent))
    else if (place.dataset.source) fetchNear(place, place.dataset.source)
  }
}
