import type { Element } from 'hast'
import type { Parents, Text } from 'mdast'
import type { Extension } from 'mdast-util-from-markdown'

export type TextPart = { text: string; login?: string; everyone?: boolean }

/** A URL, or a host name with a path. An "@" inside begins no mention. The server has the same rule. */
const address = /(?<![\p{L}\p{N}+.-])(?:[a-z][a-z\d+.-]*:\/\/|www\.|[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+[/?#])[^\s<>]*/u
const mention = /(?<![\p{L}\p{N}]|[\p{L}\p{N}][._+-])@([\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*)/u
const either = new RegExp(`${address.source}|${mention.source}`, 'giu')
/** Names that mention everyone; no user can have them as a login. */
const everyoneNames = new Set(['all', 'here'])

/** Splits a text at possible mentions. Does not check whether the logins exist. */
export function partsOf(text: string): TextPart[] {
  const parts: TextPart[] = []
  let from = 0
  for (const { 0: whole, 1: login, index } of text.matchAll(either)) {
    if (login === undefined) continue
    if (index > from) parts.push({ text: text.slice(from, index) })
    parts.push({ text: whole, ...(everyoneNames.has(login.toLowerCase()) ? { everyone: true } : { login }) })
    from = index + whole.length
  }
  if (from < text.length) parts.push({ text: text.slice(from) })
  return parts
}

/** Whether "@" never begins a mention in this element, because it is code, a link or a quote. */
export const ignoresMentions = ({ tagName }: Element): boolean => ['a', 'blockquote', 'code'].includes(tagName)

/** Every way to write "@" in Markdown. It also matches other escapes, so that `\\@` is not read as an escaped "@". */
const signs = /\\[!-/:-@[-`{-~]|@|&(?:#0*64|#x0*40|commat);/gi

/**
 * Splits texts after each "@" that is escaped (`\@ann`) or written as an entity, so that it does not begin a mention.
 */
export function withEscapedSigns(body: string): Extension {
  const split = (text: Text): Text[] => {
    const source = body.slice(text.position?.start.offset, text.position?.end.offset)
    const written = (source.match(signs) ?? []).filter((sign) => sign === '\\@' || !sign.startsWith('\\'))
    const texts: Text[] = []
    let from = 0
    for (const [at, { index }] of [...text.value.matchAll(/@/g)].entries()) {
      if (written[at] === '@') continue
      texts.push({ type: 'text', value: text.value.slice(from, index + 1) })
      from = index + 1
    }
    return from === 0 ? [text] : [...texts, { type: 'text', value: text.value.slice(from) }]
  }
  const splitIn = (parent: Parents): void => {
    const children = parent.children.flatMap((child) => {
      if ('children' in child) splitIn(child)
      return child.type === 'text' && child.value.includes('@') ? split(child) : [child]
    })
    parent.children = children as typeof parent.children
  }
  return { transforms: [(tree) => splitIn(tree)] }
}
