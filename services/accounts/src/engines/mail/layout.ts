import type { Mail } from './mail.ts'

export type Part = string | { code: string } | { link: string; label: string }

export function buildMail(to: string, subject: string, serverName: string, parts: readonly Part[]): Mail {
  return {
    to,
    subject,
    text: `${[...parts.map(asText), `-- \n${serverName}`].join('\n\n')}\n`,
    html: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(subject)}</title></head>
<body style="margin:0;padding:24px;background:#f4f4f5;font:16px/1.5 system-ui,sans-serif;color:#18181b">
<div style="max-width:520px;margin:0 auto;padding:24px;background:#ffffff;border-radius:8px">
${parts.map(asHtml).join('\n')}
<p style="margin:24px 0 0;font-size:13px;color:#71717a">${escapeHtml(serverName)}</p>
</div>
</body>
</html>
`,
  }
}

function asText(part: Part): string {
  if (typeof part === 'string') return part
  return 'code' in part ? `    ${part.code}` : `    ${part.link}`
}

function asHtml(part: Part): string {
  if (typeof part === 'string') return `<p style="margin:0 0 16px">${escapeHtml(part)}</p>`
  if ('code' in part)
    return `<p style="margin:0 0 16px;font:600 28px ui-monospace,monospace;letter-spacing:4px">${escapeHtml(part.code)}</p>`
  const link = escapeHtml(part.link)
  return `<p style="margin:0 0 16px"><a href="${link}" style="display:inline-block;padding:10px 18px;border-radius:6px;background:#1d4ed8;color:#ffffff;text-decoration:none">${escapeHtml(part.label)}</a></p>
<p style="margin:0 0 16px;font-size:13px;color:#71717a;word-break:break-all">${link}</p>`
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? '')
