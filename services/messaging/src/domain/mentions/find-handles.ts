import { Labels } from './definitions.ts'
import { removeCodeSpans } from './code-spans.ts'
import { removeLinks } from './links.ts'
import { paragraphsOf } from './prose.ts'

export const maxHandles = 100

// After a letter or digit, even with one of ". _ + -" between, an "@" belongs to an e-mail address: `ann_@example.org`.
const mention = /(?<![\p{L}\p{N}]|[\p{L}\p{N}][._+-])@([\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*)/gu
const escape = /\\([!-/:-@[-`{-~])/g

/**
 * The first hundred distinct handles that a Markdown text mentions, in lower case. Ignored are an escaped "@" and one
 * in code, a block quote, a link, a web address or an e-mail address.
 */
export function findHandles(body: string): string[] {
  if (!body.includes('@')) return []
  const handles = new Set<string>()
  const labels = new Labels()
  const paragraphs = paragraphsOf(body).map(({ text, quoted }) => ({ text: labels.takeDefinitions(text), quoted }))
  for (const { text: paragraph, quoted } of paragraphs) {
    if (quoted || !paragraph.includes('@')) continue
    for (const [, handle] of proseOf(paragraph, labels).matchAll(mention)) {
      if (handles.size >= maxHandles) return [...handles]
      if (handle) handles.add(handle.toLowerCase())
    }
  }
  return [...handles]
}

const proseOf = (paragraph: string, labels: Labels): string =>
  removeLinks(removeCodeSpans(paragraph), labels).replace(escape, (_, character: string) =>
    character === '@' ? '\\' : character,
  )

/**
 * The handles that a text may stand for, the most likely first: final underscores may mark emphasis, as in `_@ann_`.
 */
export function possibleHandles(handle: string): string[] {
  const bare = handle.replace(/_+$/, '')
  return bare === handle || bare === '' ? [handle] : [handle, bare]
}
