export type Level = 'default' | 'muted' | 'normal'

/** Users and messages are numbered; a step that does not apply (nobody to reply to, not the author) does nothing. */
export type Step =
  | { kind: 'post' | 'room read'; user: number; message?: number }
  | {
      kind: 'reply' | 'reply with echo' | 'retract' | 'thread read' | 'follow' | 'unfollow'
      user: number
      message: number
    }
  | { kind: 'level of the room' | 'level of the server'; user: number; message?: undefined; level: Level }

export type Said = {
  id: string
  author: number
  kind: 'root' | 'reply' | 'echo'
  /** Number of the root (for a reply), or of the reply (for an echo). */
  of: number | undefined
  shown: boolean
}

/** A history of steps, and the unread state computed by replaying it. */
export class History {
  readonly said: Said[] = []
  /** Per user and room (-1) or thread (number of its root): numbers of messages that were read. */
  readonly #read = new Map<string, number[]>()
  readonly #following = new Map<string, boolean>()
  readonly #levels = new Map<string, Level>()

  add(said: Said): number {
    return this.said.push(said) - 1
  }

  /** A user read up to a message, or posted it. */
  read(user: number, place: number, message: number): void {
    const key = `${user}/${place}`
    this.#read.set(key, [...(this.#read.get(key) ?? []), message])
  }

  follow(user: number, root: number, following: boolean, unlessDecided = false): void {
    const key = `${user}/${root}`
    if (!unlessDecided || !this.#following.has(key)) this.#following.set(key, following)
  }

  choose(user: number, of: 'room' | 'server', level: Level): void {
    this.#levels.set(`${user}/${of}`, level)
  }

  #isMuted(user: number): boolean {
    const [room, server] = [this.#levels.get(`${user}/room`), this.#levels.get(`${user}/server`)]
    return room === undefined || room === 'default' ? server === 'muted' : room === 'muted'
  }

  follows = (user: number, root: number): boolean => this.#following.get(`${user}/${root}`) ?? false

  /** The last message still shown in the room (-1) or thread; undefined for none. */
  last(place: number): number | undefined {
    return this.#shownIn(place).at(-1)
  }

  /**
   * Whether a message of somebody else is shown after everything that the user has read or posted there; false in a
   * muted room.
   */
  isUnread(user: number, place: number): boolean {
    if (this.#isMuted(user)) return false
    const read = Math.max(-1, ...(this.#read.get(`${user}/${place}`) ?? []))
    return this.#shownIn(place).some((message) => message > read && this.said[message]?.author !== user)
  }

  #shownIn(place: number): number[] {
    return this.said.flatMap(({ kind, of, shown }, number) => {
      const stands = place < 0 ? kind !== 'reply' : kind === 'reply' && of === place
      return stands && shown ? [number] : []
    })
  }
}
