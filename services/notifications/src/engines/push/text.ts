import type { PushKind } from '../../domain/tag.ts'

/** The facts that a text describes. */
export type Happening = {
  kind: PushKind
  /** Name of who caused it. */
  actor: string
  /** Name of the room; empty for a direct conversation. */
  room: string
  /** Beginning of the message; empty without text. */
  preview: string
  attachments: number
}

export function titleOf({ kind, actor, room }: Happening): string {
  const where = room === '' ? '' : ` in #${room}`
  if (kind === 'mention') return `${actor} mentioned you${where}`
  if (kind === 'reply') return `${actor} replied${where}`
  return `${actor}${where}`
}

const maxCharacters = 100

export function bodyOf({ preview, attachments }: Happening): string {
  if (preview !== '') return Array.from(preview).slice(0, maxCharacters).join('')
  return attachments === 0 ? '' : attachments === 1 ? 'Sent a file' : `Sent ${attachments} files`
}
