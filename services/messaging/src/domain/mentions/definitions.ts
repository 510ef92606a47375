const definition =
  / *\[((?:\\[^]|[^\\[\]])+)\]:\s*(?:<[^<>\n]*>|(?!<)(?:\\.|[^\\\s()]|\((?:\\.|[^\\\s()])*\))+)(?:(?: *\n *| +)(?:"(?:\\[^]|[^"\\])*"|'(?:\\[^]|[^'\\])*'|\((?:\\[^]|[^()\\])*\)))? *(?:\n|$)/y

const maxLabelLength = 999

/** The labels of link reference definitions. As in CommonMark, neither case nor the amount of white space matters. */
export class Labels {
  readonly #defined = new Set<string>()

  /** Returns the rest of the paragraph. */
  takeDefinitions(paragraph: string): string {
    let from = 0
    definition.lastIndex = 0
    for (let found = definition.exec(paragraph); found; found = definition.exec(paragraph)) {
      const label = normalize(found[1] ?? '')
      if (label === '') break
      this.#defined.add(label)
      from = definition.lastIndex
    }
    return paragraph.slice(from)
  }

  has(label: string): boolean {
    return this.#defined.size > 0 && label.length <= maxLabelLength && this.#defined.has(normalize(label))
  }
}

const normalize = (label: string): string => label.replace(/\s+/g, ' ').trim().toLowerCase().toUpperCase()
