import type { PushKind } from '../../domain/tag.ts'

/** Addresses below the server's public address. */
export class Links {
  readonly #base: string

  constructor(publicUrl: string) {
    this.#base = publicUrl.replace(/\/+$/, '')
  }

  get icon(): string {
    return `${this.#base}/icons/icon-192.png`
  }

  /** Address of the message in its room, or of the direct conversation. */
  to({ kind, roomId, threadRootEventId, eventId }: Place): string {
    const room = `${this.#base}/chat/-/${encodeURIComponent(roomId)}`
    if (kind === 'direct_message') return room
    const thread = threadRootEventId === '' ? '' : `/${encodeURIComponent(threadRootEventId)}`
    return `${room}${thread}?highlight=${encodeURIComponent(eventId)}`
  }
}

type Place = { kind: PushKind; roomId: string; threadRootEventId: string; eventId: string }
