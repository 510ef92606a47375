import { Labels } from './definitions.ts'
import { withoutCodeSpans } from './inline-prose.ts'
import { withoutLinks } from './links.ts'
import { paragraphsOf } from './prose.ts'

/** Maximum number of handles per text; further ones are ignored. */
export const maxHandles = 100

// An "@" after a letter or digit, even with a sign between, belongs to an e-mail address: `ann_@example.org`.
const mention = /(?<![\p{L}\p{N}]|[\p{L}\p{N}][._+-])@([\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*)/gu
const escape = /\\([!-/:-@[-`{-~])/g

/**
 * Returns the distinct handles, in lower case, that a Markdown text mentions. An "@" in code, block quotes, links or
 * addresses is no mention, and neither is an escaped one.
 */
export function findHandles(body: string): string[] {
  if (!body.includes('@')) return []
  const handles = new Set<string>()
  const labels = new Labels()
  // Link definitions in a block quote also apply outside of it.
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

/** Replaces an escaped "@" by another sign, and unescapes all other signs. */
const proseOf = (paragraph: string, labels: Labels): string =>
  withoutLinks(withoutCodeSpans(paragraph), labels).replace(escape, (_, sign: string) => (sign === '@' ? '\\' : sign))

/** Possible handles, the most likely first: underscores at the end may belong to emphasis, as in `_@ann_`. */
export function readings(handle: string): string[] {
  const bare = handle.replace(/_+$/, '')
  return bare === handle || bare === '' ? [handle] : [handle, bare]
}
