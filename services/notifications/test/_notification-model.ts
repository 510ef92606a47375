export type Level = 'default' | 'muted' | 'all'

type PostedMessage = {
  seq: bigint
  eventId: string
  messageId: string
  root: string
  retracted: boolean
  reasons: Map<number, string>
}

export type Post = {
  author: number
  seq: bigint
  eventId: string
  messageId?: string
  root?: string
  mentioned?: readonly number[]
  everyone?: boolean
  /** The author of the message to which this one replies. */
  repliedTo?: number | undefined
  followers?: readonly number[]
}

/** Records everything that happens in a room, and computes which notifications must be pending. */
export class RoomHistory {
  readonly levels: Level[]
  readonly members: boolean[]
  readonly messages: PostedMessage[] = []
  readonly #read: { user: number; root: string; upTo: bigint }[] = []
  readonly #left: { user: number; upTo: bigint }[] = []
  readonly #dismissed: { user: number; messageId: string }[] = []

  constructor(users: number) {
    this.levels = Array.from({ length: users }, () => 'default')
    this.members = Array.from({ length: users }, () => true)
  }

  post({ author, seq, eventId, messageId = eventId, root = '', ...why }: Post): void {
    const reasons = new Map<number, string>()
    for (const [user, level] of this.levels.entries()) {
      const reason = this.#reason(user, level, root, why)
      if (user !== author && this.members[user] && level !== 'muted' && reason) reasons.set(user, reason)
    }
    this.messages.push({ seq, eventId, messageId, root, retracted: false, reasons })
    this.read(author, root, seq)
  }

  #reason(
    user: number,
    level: Level,
    root: string,
    why: Pick<Post, 'mentioned' | 'everyone' | 'repliedTo' | 'followers'>,
  ) {
    if (why.everyone || why.mentioned?.includes(user)) return 'mention'
    if (why.repliedTo === user || why.followers?.includes(user)) return 'reply'
    return level === 'all' && root === '' ? 'roomMessage' : undefined
  }

  read(user: number, root: string, upTo: bigint): void {
    this.#read.push({ user, root, upTo })
  }

  leave(user: number, upTo: bigint): void {
    this.members[user] = false
    this.#left.push({ user, upTo })
  }

  dismiss(user: number, messageId: string): void {
    this.#dismissed.push({ user, messageId })
  }

  pending(user: number): { eventId: string; kind: string }[] {
    const notifiedMessages = new Set<string>()
    return this.messages.flatMap(({ seq, eventId, messageId, root, retracted, reasons }) => {
      const kind = reasons.get(user)
      const wasRead = this.#read.some((read) => read.user === user && read.root === root && read.upTo >= seq)
      const wasLeft = this.#left.some((left) => left.user === user && left.upTo >= seq)
      const notifiedBefore = notifiedMessages.has(messageId)
      if (kind) notifiedMessages.add(messageId)
      if (!kind || notifiedBefore || wasRead || wasLeft || retracted) return []
      if (this.#dismissed.some((one) => one.user === user && one.messageId === messageId)) return []
      return [{ eventId, kind }]
    })
  }
}
