import type { Message } from './message.ts'

export function listPage(mails: readonly { name: string; message: Message }[]): string {
  const rows = mails.map(
    ({ name, message }) => `<tr>
<td>${escape(message.date)}</td>
<td>${escape(message.to)}</td>
<td><a href="${encodeURIComponent(name)}">${escape(message.subject || '(no subject)')}</a></td>
</tr>`,
  )
  const list =
    rows.length > 0
      ? `<table><tr><th>date</th><th>to</th><th>subject</th></tr>${rows.join('\n')}</table>`
      : '<p>There is no mail yet.</p>'
  return page(
    'Mails',
    `<h1>Mails of this server</h1>
<p>No mail server is configured, so mails stay on this machine. Reload the page to see new mails.</p>
${list}`,
  )
}

export function mailPage(name: string, message: Message): string {
  const html =
    message.html === ''
      ? ''
      : `<iframe title="the mail as HTML" sandbox="allow-popups allow-popups-to-escape-sandbox" src="${encodeURIComponent(name)}/html"></iframe>`
  return page(
    message.subject,
    `<p><a href="./">all mails</a></p>
<h1>${escape(message.subject || '(no subject)')}</h1>
<p>from ${escape(message.from)}<br>to ${escape(message.to)}<br>${escape(message.date)}</p>
${html}
<pre>${escape(message.text)}</pre>`,
  )
}

/** The unchanged HTML of a mail, except that its links open outside the frame. */
export const framedHtml = ({ html }: Message): string => `<base target="_blank">${html}`

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:960px;margin:24px auto;padding:0 16px}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:6px 12px 6px 0;border-bottom:1px solid #ccc}
iframe{width:100%;height:480px;border:1px solid #ccc}pre{white-space:pre-wrap;overflow-wrap:anywhere}`

const page = (title: string, body: string) => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escape(title)}</title><style>${style}</style></head>
<body>
${body}
</body>
</html>
`

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? '')
