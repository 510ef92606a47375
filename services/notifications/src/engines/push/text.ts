import type { NotificationKind } from '../../domain/tag.ts'

export type MessageSummary = {
  kind: NotificationKind
  actor: string
  room: string
  preview: string
  attachments: number
}

export function titleOf({ kind, actor, room }: MessageSummary): string {
  const where = room === '' ? '' : ` in #${room}`
  if (kind === 'mention') return `${actor} mentioned you${where}`
  if (kind === 'reply') return `${actor} replied${where}`
  return `${actor}${where}`
}

const maxCharacters = 100

export function bodyOf({ preview, attachments }: MessageSummary): string {
  if (preview !== '') return Array.from(preview).slice(0, maxCharacters).join('')
  return attachments === 0 ? '' : attachments === 1 ? 'Sent a file' : `Sent ${attachments} files`
}
