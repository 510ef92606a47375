import {
  maxDepth,
  enterContinued,
  enterItem,
  enterQuote,
  indentOf,
  isBlank,
  isThematicBreak,
  type Container,
  type Line,
} from './containers.ts'

type Fence = { mark: string; length: number }

const fence = /^(?:(`{3,})[^`]*|(~{3,}).*)$/
const heading = /^#{1,6}(?: |$)/
const underline = /^(?:=+|-+) *$/

export type Paragraph = { text: string; quoted: boolean }

/**
 * The paragraphs and headings outside code blocks. Takes one pass and linear time: 10,000 bytes of hostile input can
 * keep full Markdown parsers busy for seconds.
 */
export function paragraphsOf(markdown: string): Paragraph[] {
  const reader = new ParagraphReader()
  for (const text of markdown.split(/\r\n|\n|\r/)) reader.read({ text: expandTabs(text), at: 0 })
  return reader.end()
}

class ParagraphReader {
  readonly #paragraphs: Paragraph[] = []
  #containers: Container[] = []
  #fence: Fence | undefined
  #paragraph: string[] = []

  read(line: Line): void {
    const continued = enterContinued(line, this.#containers)
    const continuesAll = continued === this.#containers.length
    if (continuesAll && this.#fence) return this.#readCode(line, this.#fence)
    const opened = this.#openContainers(line, continuesAll && this.#inParagraph)
    if (!continuesAll && opened.length === 0 && this.#inParagraph && this.#continuesParagraph(line)) {
      this.#paragraph.push(line.text.slice(line.at))
      return
    }
    if (!continuesAll || opened.length > 0) {
      this.#endParagraph()
      this.#fence = undefined
      this.#containers = [...this.#containers.slice(0, continued), ...opened]
    }
    this.#readLeaf(line)
  }

  end(): Paragraph[] {
    this.#endParagraph()
    return this.#paragraphs
  }

  get #inParagraph(): boolean {
    return this.#paragraph.length > 0
  }

  #openContainers(line: Line, inParagraph: boolean): Container[] {
    const opened: Container[] = []
    while (this.#containers.length + opened.length < maxDepth && !isBlank(line)) {
      const container = enterQuote(line)
        ? ({ kind: 'quote' } as const)
        : enterItem(line, inParagraph && opened.length === 0)
      if (!container) break
      opened.push(container)
    }
    return opened
  }

  #continuesParagraph(line: Line): boolean {
    if (isBlank(line)) return false
    if (indentOf(line) > 3) return true
    const rest = line.text.slice(line.at).trimStart()
    return !fence.test(rest) && !heading.test(rest) && !isThematicBreak(rest)
  }

  #readLeaf(line: Line): void {
    if (isBlank(line)) return this.#endParagraph()
    const indented = indentOf(line) > 3
    if (indented && !this.#inParagraph) return
    const rest = line.text.slice(line.at).trimStart()
    if (this.#inParagraph && !indented && underline.test(rest)) return this.#endParagraph()
    const opening = indented ? null : fence.exec(rest)
    if (opening) {
      this.#endParagraph()
      const marks = opening[1] ?? opening[2] ?? ''
      this.#fence = { mark: marks.charAt(0), length: marks.length }
    } else if (!indented && (heading.test(rest) || isThematicBreak(rest))) {
      this.#endParagraph()
      this.#paragraph.push(rest)
      this.#endParagraph()
    } else {
      this.#paragraph.push(rest)
    }
  }

  #readCode(line: Line, { mark, length }: Fence): void {
    const rest = line.text.slice(line.at).trim()
    const closes = indentOf(line) <= 3 && rest.length >= length && rest === mark.repeat(rest.length)
    if (closes) this.#fence = undefined
  }

  #endParagraph(): void {
    const quoted = this.#containers.some(({ kind }) => kind === 'quote')
    if (this.#inParagraph) this.#paragraphs.push({ text: this.#paragraph.join('\n'), quoted })
    this.#paragraph = []
  }
}

function expandTabs(text: string): string {
  if (!text.includes('\t')) return text
  let expanded = ''
  for (const part of text.split('\t')) expanded += part + ' '.repeat(4 - ((expanded.length + part.length) % 4))
  return expanded
}
