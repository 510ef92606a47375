import type { ElementContent } from 'hast'
import { common, createLowlight } from 'lowlight'

export type Kind = 'comment' | 'keyword' | 'name' | 'number' | 'string'
export type CodeRange = { text: string; kind?: Kind | undefined }

const kinds: Readonly<Record<string, Kind>> = {
  ...{ comment: 'comment', meta: 'comment', quote: 'comment' },
  ...{ keyword: 'keyword', literal: 'keyword', 'selector-tag': 'keyword', tag: 'keyword' },
  ...{ attr: 'name', attribute: 'name', built_in: 'name', name: 'name', section: 'name', title: 'name', type: 'name' },
  ...{ number: 'number', symbol: 'number' },
  ...{ addition: 'string', regexp: 'string', string: 'string', 'template-tag': 'string' },
}

const languages = createLowlight(common)

/** An unknown language gives a single range. `language`: a name or a file extension. */
export function codeRangesIn(code: string, language: string): CodeRange[] {
  if (!languages.registered(language)) return [{ text: code }]
  return languages.highlight(language, code).children.flatMap((node) => rangesOf(node, undefined))
}

function rangesOf(node: ElementContent | { type: 'doctype' }, around: Kind | undefined): CodeRange[] {
  if (node.type === 'text') return [{ text: node.value, kind: around }]
  if (node.type !== 'element') return []
  const { className } = node.properties
  const [first] = Array.isArray(className) ? className : []
  const kind = kinds[String(first).replace('hljs-', '')] ?? around
  return node.children.flatMap((child) => rangesOf(child, kind))
}
