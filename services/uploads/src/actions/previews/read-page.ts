import { setImmediate as nextTurn } from 'node:timers/promises'
import { Parser } from 'htmlparser2'

export type PageHead = { title?: string; meta: ReadonlyMap<string, string> }

const sliceLength = 16_384
const longestTitle = 2_000
const maxMeta = 200
/** Deeper than any real head. The parser's time grows with the square of the depth. */
const deepest = 256

/**
 * Parses in pieces, so that other work can run in between. Ignores everything after the head or after an element nested
 * too deeply, further metadata with the same name, and what exceeds the limits above.
 */
export async function readPage(html: string): Promise<PageHead> {
  const meta = new Map<string, string>()
  let title: string | undefined
  let inTitle = false
  let depth = 0
  let svgDepth = 0
  let isOver = false
  const parser = new Parser({
    onopentag(name, attributes) {
      if (++depth > deepest) isOver = true
      if (isOver) return
      if (name === 'svg') svgDepth++
      if (name === 'body') isOver = true
      if (name === 'title' && svgDepth === 0 && title === undefined) {
        inTitle = true
        title = ''
      }
      if (name !== 'meta' || meta.size >= maxMeta) return
      const key = (attributes['property'] ?? attributes['name'] ?? '').trim().toLowerCase()
      const content = attributes['content']
      if (key !== '' && content !== undefined && !meta.has(key)) meta.set(key, content)
    },
    ontext(text) {
      if (inTitle && !isOver && title !== undefined && title.length < longestTitle) title += text
    },
    onclosetag(name) {
      depth--
      if (name === 'svg') svgDepth--
      if (name === 'title') inTitle = false
      if (name === 'head') isOver = true
    },
  })
  for (let at = 0; at < html.length && !isOver; at += sliceLength) {
    parser.write(html.slice(at, at + sliceLength))
    await nextTurn()
  }
  parser.end()
  return { meta, ...(title !== undefined && { title }) }
}
