import { RoomMembershipKind, type User } from '@parley/client/contract'
import type { Emoji } from '../markdown/emoji.ts'
import { roleName } from '../messages/roles.ts'
import { Cell } from '../state/cell.ts'
import { loadWholeEmojiSet } from '../state/emoji-set.ts'
import type { CompletionContext } from '../store/completion.ts'
import { loginBeside } from '../store/login-beside.ts'
import { searchIn } from '../store/search.ts'
import { activeRooms } from '../store/sidebar.ts'
import type { Chat } from './chat.ts'
import { isPermanent, retryMs } from './failures.ts'

/** A suggestion: the replacement text, and what to display. */
export type Suggestion = { key: string; replacement: string; sign: string; name: string; hint: string }

const maxShown = 8
const pauseMs = 100
/** Names that mention everyone. */
const everyone = ['here', 'all']

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
    const users = await this.#members(typed, isWanted)
    const people = users.map((user) => ({
      ...{ key: user.id, replacement: `@${user.login}`, sign: '@' },
      ...{ name: user.displayName || user.login, hint: loginBeside(user) },
    }))
    return typed === '' ? people : [...people, ...this.#handles(typed)]
  }

  /** Repeats a failed request while its result is needed. */
  async #members(typed: string, isWanted: () => boolean): Promise<User[]> {
    const request = {
      ...{ roomId: this.#roomId, search: typed, membership: RoomMembershipKind.EFFECTIVE },
      page: { limit: maxShown },
    }
    while (isWanted()) {
      try {
        return await this.#chat.people.trackChangesDuring(async (changes) => {
          const { members } = await this.#chat.server.api.room.listMembers(request)
          const users = members.flatMap(({ user }) => user ?? [])
          this.#chat.people.learn(users, changes)
          return users
        })
      } catch (error) {
        if (isPermanent(error)) return []
        await pause(retryMs)
      }
    }
    return []
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
    // Emoji whose shortcode begins with the text, shortest shortcode first, then those found by their keywords.
    const byShortcode = set.all.filter(shortcodeOf).sort((one, other) => lengthOf(one) - lengthOf(other))
    const found = searchIn(set.all, typed.replaceAll('_', ' '), ({ words }) => words)
    return [...new Set([...byShortcode, ...found])].map((emoji) => {
      const { character } = emoji
      const name = `:${shortcodeOf(emoji) ?? emoji.shortcodes[0]}:`
      return { key: character, replacement: character, sign: character, name, hint: '' }
    })
  }
}
