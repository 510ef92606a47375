import type { NotificationKind } from '../../domain/tag.ts'

export class Links {
  readonly #base: string

  constructor(publicUrl: string) {
    this.#base = publicUrl.replace(/\/+$/, '')
  }

  get icon(): string {
    return `${this.#base}/icons/icon-192.png`
  }

  to({ kind, roomId, threadRootEventId, eventId }: LinkTarget): string {
    const room = `${this.#base}/chat/-/${encodeURIComponent(roomId)}`
    if (kind === 'direct_message') return room
    const thread = threadRootEventId === '' ? '' : `/${encodeURIComponent(threadRootEventId)}`
    return `${room}${thread}?highlight=${encodeURIComponent(eventId)}`
  }
}

type LinkTarget = { kind: NotificationKind; roomId: string; threadRootEventId: string; eventId: string }
