/** A link reference definition, `[label]: destination "title"`, at the beginning of the rest of a paragraph. */
const definition =
  / *\[((?:\\[^]|[^\\[\]])+)\]:\s*(?:<[^<>\n]*>|(?!<)(?:\\.|[^\\\s()]|\((?:\\.|[^\\\s()])*\))+)(?:(?: *\n *| +)(?:"(?:\\[^]|[^"\\])*"|'(?:\\[^]|[^'\\])*'|\((?:\\[^]|[^()\\])*\)))? *(?:\n|$)/y

/** Longer ones are no labels. */
const longestLabel = 999

/** Labels of links, compared as CommonMark does: by their letters, with single spaces. */
export class Labels {
  readonly #defined = new Set<string>()

  /** Adds the labels that a paragraph defines at its beginning, and returns the rest of the paragraph. */
  take(paragraph: string): string {
    let from = 0
    definition.lastIndex = 0
    for (let found = definition.exec(paragraph); found; found = definition.exec(paragraph)) {
      const label = normalized(found[1] ?? '')
      if (label === '') break
      this.#defined.add(label)
      from = definition.lastIndex
    }
    return paragraph.slice(from)
  }

  has(label: string): boolean {
    return this.#defined.size > 0 && label.length <= longestLabel && this.#defined.has(normalized(label))
  }
}

const normalized = (label: string): string => label.replace(/\s+/g, ' ').trim().toLowerCase().toUpperCase()
