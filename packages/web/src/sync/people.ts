import type { MemberClient } from '@parley/client'
import { PresenceStatus, type User } from '@parley/client/contract'
import { Cell } from '../state/cell.ts'
import { type Changes, ChangesMeanwhile, withChanges } from './changes-meanwhile.ts'
import { gathered } from './gathered.ts'

const mostAtOnce = 100

/** Placeholder for a deleted user. */
const deletedUser = (id: string): User => ({
  $typeName: 'svc.api.v1.User',
  ...{ id, login: '', displayName: '', deleted: true, presenceStatus: PresenceStatus.UNSPECIFIED },
})

/** All people known to this page. */
export class People {
  readonly #known = new Map<string, Cell<User | undefined>>()
  readonly #fetch: (userId: string) => void
  readonly #readAgain: (userId: string) => void
  /** Ids by login in lower case. */
  readonly #called = new Map<string, Cell<string | undefined>>()
  readonly #fetchByLogin: (login: string) => void
  readonly #deletedName: string
  readonly #meanwhile = new ChangesMeanwhile()

  /** `deletedName`: the name shown for a deleted account. */
  constructor(server: MemberClient, ownId: string, deletedName: string) {
    this.#deletedName = deletedName
    this.#fetch = gathered(20, async (asked) => {
      // Another response may have contained them already.
      const ids = asked.filter((id) => this.#known.get(id)?.value === undefined)
      for (let from = 0; from < ids.length; from += mostAtOnce) {
        const userIds = ids.slice(from, from + mostAtOnce)
        const users = await this.#read(server, { userIds })
        const there = new Set(users.map(({ id }) => id))
        this.learn(userIds.filter((id) => !there.has(id)).map(deletedUser))
      }
    })
    // Many clients reconnect at the same time, for example after a restart of the server.
    this.#readAgain = gathered(200 + Math.random() * 1_800, async (userIds) => {
      for (let from = 0; from < userIds.length; from += mostAtOnce)
        await this.#readPresence(server, userIds.slice(from, from + mostAtOnce))
    })
    // Names in texts are not urgent.
    this.#fetchByLogin = gathered(300, async (asked) => {
      const unknown = asked.filter((login) => this.#called.get(login)?.value === undefined)
      for (let from = 0; from < unknown.length; from += mostAtOnce) {
        const logins = unknown.slice(from, from + mostAtOnce)
        // The request wants an id, too.
        await this.#read(server, { userIds: [ownId], logins })
      }
    })
  }

  /** A user; undefined until loaded. Unknown users are requested. */
  of(userId: string): Cell<User | undefined> {
    let cell = this.#known.get(userId)
    if (!cell) {
      cell = new Cell<User | undefined>(undefined)
      this.#known.set(userId, cell)
      if (userId !== '') {
        const found = cell
        // The page being processed may contain the user; ask only if it does not.
        queueMicrotask(() => found.value === undefined && this.#fetch(userId))
      }
    }
    return cell
  }

  /** Id of the user with a login; undefined until loaded, and if there is none. */
  called(login: string): Cell<string | undefined> {
    const key = login.toLowerCase()
    let cell = this.#called.get(key)
    if (!cell) {
      cell = new Cell<string | undefined>(undefined)
      this.#called.set(key, cell)
      for (const { value } of this.#known.values()) if (value?.login.toLowerCase() === key) cell.set(value.id)
      if (cell.value === undefined) this.#fetchByLogin(key)
    }
    return cell
  }

  /** Changes of presence may have been missed: people on display are read again, the others when they are shown. */
  presenceMissed(): void {
    for (const [userId, cell] of this.#known) {
      if (!cell.value || cell.value.deleted) continue
      if (cell.isObserved) this.#readAgain(userId)
      else this.#known.delete(userId)
    }
  }

  /**
   * Runs a request whose response contains people. If `changes` is passed to {@link learn} with them, what events have
   * reported since the request was sent stays.
   */
  reading<T>(request: (changes: Changes) => Promise<T>): Promise<T> {
    return this.#meanwhile.during(request)
  }

  #read(server: MemberClient, request: { userIds: string[]; logins?: string[] }): Promise<User[]> {
    return this.reading(async (changes) => {
      const found = await server.api.user.batchGetUsers(request)
      const users = found.users.flatMap(({ user }) => user ?? [])
      this.learn(users, changes)
      return users
    })
  }

  #readPresence(server: MemberClient, userIds: string[]): Promise<void> {
    return this.reading(async (changes) => {
      const found = await server.api.user.batchGetUsers({ userIds })
      for (const { user } of found.users) {
        if (!user) continue
        const { presenceStatus } = withChanges(user, changes)
        this.#known.get(user.id)?.update((known) => known && { ...known, presenceStatus })
      }
    })
  }

  /** Adds users from a response; `changes`: see {@link reading}. */
  learn(users: Iterable<User>, changes?: Changes): void {
    for (const received of users) {
      const current = withChanges(received, changes)
      const user = current.deleted ? { ...current, displayName: this.#deletedName } : current
      if (user.login !== '') this.#called.get(user.login.toLowerCase())?.set(user.id)
      const cell = this.#known.get(user.id)
      if (cell) cell.set(user)
      else this.#known.set(user.id, new Cell<User | undefined>(user))
    }
  }

  /**
   * Adds people from an answer about messages. Their names are current, but their presence may be some seconds old:
   * known presence is kept, because events continue from it.
   */
  learnNames(users: Iterable<User>, changes?: Changes): void {
    for (const user of users) {
      const { presenceStatus = user.presenceStatus } = this.#known.get(user.id)?.value ?? {}
      this.learn([{ ...user, presenceStatus }], changes)
    }
  }

  /** Marks a user as deleted. */
  markDeleted(userId: string): void {
    const login = this.#known.get(userId)?.value?.login
    if (login) this.#called.get(login.toLowerCase())?.set(undefined)
    this.#meanwhile.record(userId, () => deletedUser(userId))
    this.learn([deletedUser(userId)])
  }

  /** Clears a user's custom status. */
  clearCustomStatus(userId: string): void {
    this.#change(userId, ({ customStatus: _, ...rest }) => rest)
  }

  /** Updates a user, if known. */
  patch(userId: string, fields: Partial<User>): void {
    this.#change(userId, (user) => ({ ...user, ...fields }))
  }

  #change(userId: string, change: (user: User) => User): void {
    this.#meanwhile.record(userId, change)
    this.#known.get(userId)?.update((user) => user && change(user))
  }
}
