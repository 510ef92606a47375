type Run = { at: number; length: number }

/**
 * Replaces each code span with a backtick. A span ends at the next run with the same number of backticks. A run without
 * such an end is text, and so is a backtick after a backslash.
 */
export function removeCodeSpans(paragraph: string): string {
  const runs = findRuns(paragraph)
  if (runs.length < 2) return paragraph
  const byLength = new RunsByLength(runs)
  let prose = ''
  let from = 0
  for (const [index, run] of runs.entries()) {
    if (run.at < from) continue
    const escaped = isEscaped(paragraph, run.at, from) ? 1 : 0
    const end = byLength.after(index, run.length - escaped)
    if (!end) continue
    prose += `${paragraph.slice(from, run.at)}\``
    from = end.at + end.length
  }
  return prose + paragraph.slice(from)
}

const findRuns = (text: string): Run[] =>
  Array.from(text.matchAll(/`+/g), (match) => ({ at: match.index, length: match[0].length }))

function isEscaped(text: string, at: number, from: number): boolean {
  let backslashes = 0
  while (at - backslashes > from && text[at - backslashes - 1] === '\\') backslashes++
  return backslashes % 2 === 1
}

/** To be queried from left to right: passed runs are dropped. */
class RunsByLength {
  readonly #byLength = new Map<number, { index: number; run: Run }[]>()

  constructor(runs: readonly Run[]) {
    for (const [index, run] of [...runs.entries()].reverse()) {
      const ofLength = this.#byLength.get(run.length)
      if (ofLength) ofLength.push({ index, run })
      else this.#byLength.set(run.length, [{ index, run }])
    }
  }

  after(index: number, length: number): Run | undefined {
    const ofLength = this.#byLength.get(length)
    while (ofLength?.length && (ofLength.at(-1)?.index ?? 0) <= index) ofLength.pop()
    return ofLength?.at(-1)?.run
  }
}
