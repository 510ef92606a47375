export type Names = {
  login: (id: string) => string | undefined
  room: (id: string) => string | undefined
}

/** Delimiters of a numbered placeholder: private-use characters, which are first removed from the message. */
const [open, close] = ['\ue000', '\ue001']
const placeholder = new RegExp(`${open}(\\d+)${close}`, 'g')

export function toMarkdown(text: string, names: Names): string {
  const fragments: string[] = []
  const hold = (markdown: string): string => `${open}${fragments.push(markdown) - 1}${close}`
  const marked = text
    .replaceAll(/[\ue000\ue001]/g, '')
    .replaceAll(/```([\s\S]*?)```/g, (_, code: string) => hold(codeBlock(code)))
    .replaceAll(/`([^`\n]+)`/g, (_, code: string) => hold(`\`${plain(code)}\``))
    .replaceAll(/<([^<>\n]+)>/g, (_, token: string) => hold(tokenAsMarkdown(token, names)))
  const styled = escapeMarkdownSyntax(unescapeQuotes(marked))
    .replaceAll(/(?<![\w*])\*(?=[^\s*])([^*\n]*[^\s*])\*(?![\w*])/g, '**$1**')
    .replaceAll(/(?<![\w~])~(?=[^\s~])([^~\n]*[^\s~])~(?![\w~])/g, '~~$1~~')
  // A fragment may contain placeholders of earlier fragments, such as code in the label of a link.
  const restore = (markdown: string): string =>
    markdown.replaceAll(placeholder, (_, index: string) => restore(fragments[Number(index)] ?? ''))
  return restore(unescapeEntities(styled, String.raw`\<`))
}

const codeBlock = (code: string): string => `\`\`\`\n${plain(code).replace(/^\n/, '').replace(/\n$/, '')}\n\`\`\``

/** Slack marks links inside code, too; only their label or URL is kept. */
const plain = (code: string): string =>
  unescapeEntities(
    code.replaceAll(/<([^<>\n|]+)(?:\|([^<>\n]*))?>/g, (_, target: string, label?: string) => label ?? target),
    '<',
  )

function tokenAsMarkdown(token: string, names: Names): string {
  const bar = token.indexOf('|')
  const target = bar < 0 ? token : token.slice(0, bar)
  const label = bar < 0 ? '' : unescapeEntities(token.slice(bar + 1), '<')
  const id = target.slice(1)
  switch (target.charAt(0)) {
    case '@':
      return `@${names.login(id) ?? (label.replace(/^@/, '') || id)}`
    case '#':
      return `#${names.room(id) ?? (label.replace(/^#/, '') || id)}`
    case '!':
      return special(id, label)
    default:
      return link(unescapeEntities(target, '<'), label)
  }
}

function special(command: string, label: string): string {
  if (command === 'here') return '@here'
  if (command === 'channel' || command === 'everyone') return '@all'
  return label === '' ? (command.split('^')[0] ?? '') : label
}

const linkSchemes = /^(?:https?|ftp|mailto|tel):/i

function link(url: string, label: string): string {
  if (!linkSchemes.test(url)) return label === '' || label === url ? url : `${label} (${url})`
  if (label === '' || label === url) return url
  if (url === `mailto:${label}`) return label
  const text = label.replaceAll(/[[\]\\]/g, String.raw`\$&`).replaceAll('\n', ' ')
  return `[${text}](${url.replaceAll(/[()\s]/g, (sign) => encodeURIComponent(sign).replace('(', '%28').replace(')', '%29'))})`
}

/** A line that starts with an escaped ">" is a quote in Slack. */
const unescapeQuotes = (text: string): string =>
  text.replaceAll(/^(?:&gt;)+/gm, (signs) => '>'.repeat(signs.length / 4))

const escapeMarkdownSyntax = (text: string): string =>
  text
    .replaceAll(/\\(?=[!-/:-@[-`{-~])/g, String.raw`\\`)
    .replaceAll(/^(#{1,6})(?=\s)/gm, String.raw`\$1`)
    .replaceAll('](', String.raw`]\(`)

const unescapeEntities = (text: string, less: string): string =>
  text.replaceAll('&lt;', less).replaceAll('&gt;', '>').replaceAll('&amp;', '&')
