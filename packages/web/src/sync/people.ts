import type { MemberClient } from '@parley/client'
import { PresenceStatus, type User } from '@parley/client/contract'
import { Cell } from '../state/cell.ts'
import { type Changes, ChangesDuringRequests, withChanges } from './changes-during-requests.ts'
import { createBatcher } from './batcher.ts'

const maxPerRequest = 100

const deletedUser = (id: string): User => ({
  $typeName: 'svc.api.v1.User',
  ...{ id, login: '', displayName: '', deleted: true, presenceStatus: PresenceStatus.UNSPECIFIED },
})

export class People {
  readonly #known = new Map<string, Cell<User | undefined>>()
  readonly #fetch: (userId: string) => void
  readonly #reloadPresenceOf: (userId: string) => void
  /** Ids by login in lower case. */
  readonly #idsByLogin = new Map<string, Cell<string | undefined>>()
  readonly #fetchByLogin: (login: string) => void
  readonly #deletedName: string
  readonly #changes = new ChangesDuringRequests()

  constructor(server: MemberClient, ownId: string, deletedName: string) {
    this.#deletedName = deletedName
    this.#fetch = createBatcher(20, async (requested) => {
      // Another response may have contained some of them in the meantime.
      const ids = requested.filter((id) => this.#known.get(id)?.value === undefined)
      for (let from = 0; from < ids.length; from += maxPerRequest) {
        const userIds = ids.slice(from, from + maxPerRequest)
        const users = await this.#read(server, { userIds })
        const foundIds = new Set(users.map(({ id }) => id))
        this.learn(userIds.filter((id) => !foundIds.has(id)).map(deletedUser))
      }
    })
    // Each client waits a random time, because many reconnect at once, for example after a restart of the server.
    this.#reloadPresenceOf = createBatcher(200 + Math.random() * 1_800, async (userIds) => {
      for (let from = 0; from < userIds.length; from += maxPerRequest)
        await this.#readPresence(server, userIds.slice(from, from + maxPerRequest))
    })
    this.#fetchByLogin = createBatcher(300, async (requested) => {
      const unknown = requested.filter((login) => this.#idsByLogin.get(login)?.value === undefined)
      for (let from = 0; from < unknown.length; from += maxPerRequest) {
        const logins = unknown.slice(from, from + maxPerRequest)
        // The request requires at least one id.
        await this.#read(server, { userIds: [ownId], logins })
      }
    })
  }

  /** A user; undefined until loaded. A user who is not known yet is requested. */
  of(userId: string): Cell<User | undefined> {
    let cell = this.#known.get(userId)
    if (!cell) {
      cell = new Cell<User | undefined>(undefined)
      this.#known.set(userId, cell)
      if (userId !== '') {
        const found = cell
        // A response that is being processed may contain the user, so request them only afterwards.
        queueMicrotask(() => found.value === undefined && this.#fetch(userId))
      }
    }
    return cell
  }

  /** Id of the user with a login; undefined until loaded, or if there is no such user. */
  idOf(login: string): Cell<string | undefined> {
    const key = login.toLowerCase()
    let cell = this.#idsByLogin.get(key)
    if (!cell) {
      cell = new Cell<string | undefined>(undefined)
      this.#idsByLogin.set(key, cell)
      for (const { value } of this.#known.values()) if (value?.login.toLowerCase() === key) cell.set(value.id)
      if (cell.value === undefined) this.#fetchByLogin(key)
    }
    return cell
  }

  /**
   * Reloads the presence of displayed people, because events may have been missed. Forgets others until they are
   * displayed.
   */
  reloadPresence(): void {
    for (const [userId, cell] of this.#known) {
      if (!cell.value || cell.value.deleted) continue
      if (cell.isObserved) this.#reloadPresenceOf(userId)
      else this.#known.delete(userId)
    }
  }

  /**
   * Runs a request whose response contains people. Pass `changes` to {@link learn} with these people: events may have
   * reported newer data since the request was sent.
   */
  trackChangesDuring<T>(request: (changes: Changes) => Promise<T>): Promise<T> {
    return this.#changes.trackDuring(request)
  }

  #read(server: MemberClient, request: { userIds: string[]; logins?: string[] }): Promise<User[]> {
    return this.trackChangesDuring(async (changes) => {
      const found = await server.api.user.batchGetUsers(request)
      const users = found.users.flatMap(({ user }) => user ?? [])
      this.learn(users, changes)
      return users
    })
  }

  #readPresence(server: MemberClient, userIds: string[]): Promise<void> {
    return this.trackChangesDuring(async (changes) => {
      const found = await server.api.user.batchGetUsers({ userIds })
      for (const { user } of found.users) {
        if (!user) continue
        const { presenceStatus } = withChanges(user, changes)
        this.#known.get(user.id)?.update((known) => known && { ...known, presenceStatus })
      }
    })
  }

  learn(users: Iterable<User>, changes?: Changes): void {
    for (const received of users) {
      const current = withChanges(received, changes)
      const user = current.deleted ? { ...current, displayName: this.#deletedName } : current
      if (user.login !== '') this.#idsByLogin.get(user.login.toLowerCase())?.set(user.id)
      const cell = this.#known.get(user.id)
      if (cell) cell.set(user)
      else this.#known.set(user.id, new Cell<User | undefined>(user))
    }
  }

  /**
   * Adds people from a response about messages, threads or notifications. Their names are current, but their presence
   * may be some seconds old, so presence that is already known stays.
   */
  learnNames(users: Iterable<User>, changes?: Changes): void {
    for (const user of users) {
      const { presenceStatus = user.presenceStatus } = this.#known.get(user.id)?.value ?? {}
      this.learn([{ ...user, presenceStatus }], changes)
    }
  }

  markDeleted(userId: string): void {
    const login = this.#known.get(userId)?.value?.login
    if (login) this.#idsByLogin.get(login.toLowerCase())?.set(undefined)
    this.#changes.record(userId, () => deletedUser(userId))
    this.learn([deletedUser(userId)])
  }

  clearCustomStatus(userId: string): void {
    this.#change(userId, ({ customStatus: _, ...rest }) => rest)
  }

  patch(userId: string, fields: Partial<User>): void {
    this.#change(userId, (user) => ({ ...user, ...fields }))
  }

  #change(userId: string, change: (user: User) => User): void {
    this.#changes.record(userId, change)
    this.#known.get(userId)?.update((user) => user && change(user))
  }
}
