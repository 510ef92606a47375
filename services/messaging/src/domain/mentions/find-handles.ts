import { Labels } from './definitions.ts'
import { withoutCodeSpans } from './inline-prose.ts'
import { withoutLinks } from './links.ts'
import { paragraphsOf } from './prose.ts'

/** More are not looked at. */
export const maxHandles = 100

// Behind a letter or digit an "@" is part of an e-mail address, also with a sign between: `ann_@example.org`.
const mention = /(?<![\p{L}\p{N}]|[\p{L}\p{N}][._+-])@([\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*)/gu
const escape = /\\([!-/:-@[-`{-~])/g

/**
 * The handles that a text in Markdown mentions, in lower case, each once. A mention stands neither in code or a block quote,
 * nor in a link or an address, and its "@" is not escaped.
 */
export function findHandles(body: string): string[] {
  if (!body.includes('@')) return []
  const handles = new Set<string>()
  const labels = new Labels()
  // What a quote defines holds outside of it, too.
  const paragraphs = paragraphsOf(body).map(({ text, quoted }) => ({ text: labels.take(text), quoted }))
  for (const { text: paragraph, quoted } of paragraphs) {
    if (quoted || !paragraph.includes('@')) continue
    for (const [, handle] of proseOf(paragraph, labels).matchAll(mention)) {
      if (handles.size >= maxHandles) return [...handles]
      if (handle) handles.add(handle.toLowerCase())
    }
  }
  return [...handles]
}

/** An escaped "@" becomes another sign, any other escaped sign itself. */
const proseOf = (paragraph: string, labels: Labels): string =>
  withoutLinks(withoutCodeSpans(paragraph), labels).replace(escape, (_, sign: string) => (sign === '@' ? '\\' : sign))

/** Possible handles, the most likely first: underscores at the end may belong to emphasis, as in `_@ann_`. */
export function readings(handle: string): string[] {
  const bare = handle.replace(/_+$/, '')
  return bare === handle || bare === '' ? [handle] : [handle, bare]
}
