import { RoomMembershipKind, type User } from '@parley/client/contract'
import type { Emoji } from '../markdown/emoji.ts'
import { roleName } from '../messages/roles.ts'
import { text } from '../messages/texts.ts'
import { Cell } from '../state/cell.ts'
import { loadWholeEmojiSet } from '../state/emoji-set.ts'
import type { CompletionContext } from '../store/completion.ts'
import { loginBeside } from '../store/login-beside.ts'
import { searchIn } from '../store/search.ts'
import { activeRooms } from '../store/sidebar.ts'
import type { Chat } from './chat.ts'
import { isPermanent, retryMs } from './failures.ts'

export type Suggestion = { key: string; replacement: string; sign: string; name: string; hint: string }

const maxShown = 8
const pauseMs = 100
const everyone = ['here', 'all']

const suggestionOf = (user: User, hint: string): Suggestion => ({
  ...{ key: user.id, replacement: `@${user.login}`, sign: '@' },
  ...{ name: user.displayName || user.login, hint },
})

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Suggestions for the text typed in a room. Only the response to the newest request is used. */
export class Suggestions {
  readonly found = new Cell<readonly Suggestion[]>([])
  readonly #chat: Chat
  readonly #roomId: string
  #latestQuery = 0

  constructor(chat: Chat, roomId: string) {
    this.#chat = chat
    this.#roomId = roomId
  }

  async update(completing: CompletionContext | undefined): Promise<void> {
    const query = ++this.#latestQuery
    const found = completing ? await this.#suggest(completing, () => query === this.#latestQuery) : []
    if (query === this.#latestQuery) this.found.set(found.slice(0, maxShown))
  }

  #suggest({ kind, typed }: CompletionContext, isWanted: () => boolean): Promise<Suggestion[]> | Suggestion[] {
    switch (kind) {
      case 'person':
        return this.#people(typed, isWanted)
      case 'room':
        return this.#rooms(typed)
      case 'emoji':
        return this.#emoji(typed)
    }
  }

  async #people(typed: string, isWanted: () => boolean): Promise<Suggestion[]> {
    await pause(pauseMs)
    const members = await this.#request(isWanted, () => this.#members(typed))
    const people = (members ?? []).map((user) => suggestionOf(user, loginBeside(user)))
    if (typed === '') return people
    const others = members?.length === 0 ? await this.#request(isWanted, () => this.#others(typed)) : undefined
    const outside = text('composer.notInRoom')
    return [...people, ...this.#handles(typed), ...(others ?? []).map((user) => suggestionOf(user, outside))]
  }

  async #members(search: string): Promise<User[]> {
    const { members } = await this.#chat.server.api.room.listMembers({
      ...{ roomId: this.#roomId, search, membership: RoomMembershipKind.EFFECTIVE },
      page: { limit: maxShown },
    })
    return members.flatMap(({ user }) => user ?? [])
  }

  /** People on the server. Requested only if no member of the room is found. */
  async #others(search: string): Promise<User[]> {
    const { users } = await this.#chat.server.api.user.listUsers({ search, page: { limit: maxShown } })
    return users.flatMap(({ user }) => user ?? [])
  }

  /** Repeats a failed request while `isWanted`. Undefined if the result is no longer wanted, or after a refusal. */
  async #request(isWanted: () => boolean, read: () => Promise<User[]>): Promise<User[] | undefined> {
    while (isWanted()) {
      try {
        return await this.#chat.people.trackChangesDuring(async (changes) => {
          const users = await read()
          this.#chat.people.learn(users, changes)
          return users
        })
      } catch (error) {
        if (isPermanent(error)) return undefined
        await pause(retryMs)
      }
    }
    return undefined
  }

  #handles(typed: string): Suggestion[] {
    const roles = this.#chat.viewer.value.mentionableRoles.map((role) => ({ name: role.name, hint: roleName(role) }))
    return [...everyone.map((name) => ({ name, hint: '' })), ...roles]
      .filter(({ name }) => name.startsWith(typed.toLowerCase()))
      .map(({ name, hint }) => ({ key: `@${name}`, replacement: `@${name}`, sign: '@', name, hint }))
  }

  #rooms(typed: string): Suggestion[] {
    const rooms = activeRooms(this.#chat.rooms.sidebar.value).flatMap(({ room }) => (room?.name ? [room] : []))
    return searchIn(rooms, typed, ({ name }) => name).map(({ id, name, description }) => ({
      ...{ key: id, replacement: `#${name}`, sign: '#', name, hint: description },
    }))
  }

  async #emoji(typed: string): Promise<Suggestion[]> {
    const set = await loadWholeEmojiSet()
    const shortcodeOf = ({ shortcodes }: Emoji) => shortcodes.find((code) => code.startsWith(typed.toLowerCase()))
    const lengthOf = (emoji: Emoji) => shortcodeOf(emoji)?.length ?? 0
    const byShortcode = set.all.filter(shortcodeOf).sort((one, other) => lengthOf(one) - lengthOf(other))
    const found = searchIn(set.all, typed.replaceAll('_', ' '), ({ words }) => words)
    return [...new Set([...byShortcode, ...found])].map((emoji) => {
      const { character } = emoji
      const name = `:${shortcodeOf(emoji) ?? emoji.shortcodes[0]}:`
      return { key: character, replacement: character, sign: character, name, hint: '' }
    })
  }
}
