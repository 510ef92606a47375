import { withoutCodeSpans } from './inline-prose.ts'
import { paragraphsOf } from './prose.ts'

/** More are not looked at. */
export const mostHandles = 100

const mention = /(?<![\p{L}\p{N}])@([\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*)/gu
const escape = /\\([!-/:-@[-`{-~])/g

/**
 * The handles that a text in Markdown mentions, in lower case, each once. A mention does not stand directly behind a letter
 * or digit, nor in code or a block quote.
 */
export function findHandles(body: string): string[] {
  if (!body.includes('@')) return []
  const handles = new Set<string>()
  for (const paragraph of paragraphsOf(body)) {
    if (!paragraph.includes('@')) continue
    for (const [, handle] of withoutCodeSpans(paragraph).replace(escape, '$1').matchAll(mention)) {
      if (handles.size >= mostHandles) return [...handles]
      if (handle) handles.add(handle.toLowerCase())
    }
  }
  return [...handles]
}

/** What the handle may stand for, best first: underscores at its end can be those of emphasis, as in `_@ann_`. */
export function readings(handle: string): string[] {
  const bare = handle.replace(/_+$/, '')
  return bare === handle || bare === '' ? [handle] : [handle, bare]
}
