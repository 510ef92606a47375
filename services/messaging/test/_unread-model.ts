export type Level = 'default' | 'muted' | 'normal'

/** Users and messages are numbered. An impossible step (no message to reply to, not the author) does nothing. */
export type Step =
  | { kind: 'post' | 'room read' | 'settle'; user: number; message?: number }
  | {
      kind: 'reply' | 'reply with echo' | 'retract' | 'thread read' | 'follow' | 'unfollow'
      user: number
      message: number
    }
  | { kind: 'level of the room' | 'level of the server'; user: number; message?: undefined; level: Level }

export type ModelMessage = {
  id: string
  author: number
  kind: 'root' | 'reply' | 'echo'
  /** Number of the root (for a reply) or of the reply (for an echo). */
  parent: number | undefined
  shown: boolean
}

export class History {
  readonly messages: ModelMessage[] = []
  /** By user and list: the messages up to which the user read. The list is the room (-1) or a root. */
  readonly #read = new Map<string, number[]>()
  readonly #following = new Map<string, boolean>()
  readonly #levels = new Map<string, Level>()

  add(message: ModelMessage): number {
    return this.messages.push(message) - 1
  }

  read(user: number, list: number, message: number): void {
    const key = `${user}/${list}`
    this.#read.set(key, [...(this.#read.get(key) ?? []), message])
  }

  follow(user: number, root: number, following: boolean, unlessDecided = false): void {
    const key = `${user}/${root}`
    if (!unlessDecided || !this.#following.has(key)) this.#following.set(key, following)
  }

  setLevel(user: number, scope: 'room' | 'server', level: Level): void {
    this.#levels.set(`${user}/${scope}`, level)
  }

  #isMuted(user: number): boolean {
    const [room, server] = [this.#levels.get(`${user}/room`), this.#levels.get(`${user}/server`)]
    return room === undefined || room === 'default' ? server === 'muted' : room === 'muted'
  }

  follows = (user: number, root: number): boolean => this.#following.get(`${user}/${root}`) ?? false

  last(list: number): number | undefined {
    return this.#shownIn(list).at(-1)
  }

  /**
   * Whether a message of another user is shown after the last one that the user read or posted; false if the room is
   * muted.
   */
  isUnread(user: number, list: number): boolean {
    if (this.#isMuted(user)) return false
    const read = Math.max(-1, ...(this.#read.get(`${user}/${list}`) ?? []))
    return this.#shownIn(list).some((message) => message > read && this.messages[message]?.author !== user)
  }

  #shownIn(list: number): number[] {
    return this.messages.flatMap(({ kind, parent, shown }, number) => {
      const belongs = list < 0 ? kind !== 'reply' : kind === 'reply' && parent === list
      return belongs && shown ? [number] : []
    })
  }
}
