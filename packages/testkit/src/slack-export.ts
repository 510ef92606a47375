import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import yazl from 'yazl'

export type SlackExportSize = {
  people: number
  channels: number
  privateChannels: number
  dms: number
  messages: number
}

/** What an import should find in the export. */
export type SlackExportContent = {
  people: number
  rooms: number
  /** Messages that are not replies. Rows such as `channel_join` do not count. */
  messages: number
  replies: number
  reactions: number
  /** The same counts for each channel, by its name. */
  byChannel: Map<string, { messages: number; replies: number }>
  /** Names of private channels. */
  privateChannels: string[]
  addresses: { email: string; name: string; deleted: boolean }[]
}

const words =
  'the tea is ready when you are and we should talk about the release before lunch because nobody looked at it'.split(
    ' ',
  )
const emojis = ['+1', 'tada', 'eyes', 'heart', 'thumbsup::skin-tone-3', 'white_check_mark']
const begin = Date.UTC(2021, 0, 4) / 1000
const dayS = 86_400

/**
 * Writes an export as Slack documents it: users.json, channels.json, groups.json, dms.json, mpims.json and a folder per
 * conversation with a file per day. The same size produces the same content.
 */
export async function writeSlackExport(path: string, size: SlackExportSize): Promise<SlackExportContent> {
  const users = Array.from({ length: size.people }, (_, index) => user(index))
  const ids = users.map(({ id }) => id)
  const chance = new Chance(size.messages, ids)
  const channels = conversations(size.channels, 'C', 'team', ids[0] ?? '', chance)
  const groups = conversations(size.privateChannels, 'G', 'secret', ids[0] ?? '', chance)
  // The first person is in every conversation, so that one account can count all messages.
  const dms = Array.from({ length: size.dms }, (_, index) => {
    const members = [ids[0] ?? '', ids[index + 1] ?? '']
    return { id: `D${String(index).padStart(8, '0')}`, created: begin, members }
  })
  const zip = new yazl.ZipFile()
  const written = pipeline(zip.outputStream, createWriteStream(path))
  const add: AddFile = (name, value) => zip.addBuffer(Buffer.from(JSON.stringify(value)), name)
  add('users.json', users)
  add('channels.json', channels)
  add('groups.json', groups)
  add('dms.json', dms)
  add('mpims.json', [])
  add('integration_logs.json', [])

  const rooms = [...channels, ...groups, ...dms.map((dm) => ({ ...dm, name: dm.id }))]
  const content: SlackExportContent = {
    ...{ people: users.length, rooms: rooms.length, messages: 0, replies: 0, reactions: 0, byChannel: new Map() },
    privateChannels: groups.map(({ name }) => name),
    addresses: users.map(({ profile, name, deleted }) => ({ email: profile.email, name, deleted })),
  }
  const perRoom = Math.ceil(size.messages / rooms.length)
  for (const room of rooms) {
    const count = Math.min(perRoom, size.messages - content.messages - content.replies)
    const { messages, replies, reactions } = writeRoom(room, count, chance, add)
    content.messages += messages
    content.replies += replies
    content.reactions += reactions
    if (!isDm(room)) content.byChannel.set(room.name, { messages, replies })
  }
  zip.end()
  await written
  return content
}

type AddFile = (name: string, value: unknown) => void
type Room = { id: string; name: string; members: string[] }

const isDm = ({ id }: Room): boolean => id.startsWith('D')

/** Adds a file for each day with messages in a room, and returns the counts of their content. */
function writeRoom(
  room: Room,
  count: number,
  chance: Chance,
  add: AddFile,
): { messages: number; replies: number; reactions: number } {
  const counted = { messages: 0, replies: 0, reactions: 0 }
  let second = begin + Math.floor(chance.number() * 3600)
  let day: object[] = []
  let dayStart = begin
  const roots: string[] = []
  const flush = () => {
    if (day.length > 0) add(`${room.name}/${new Date(dayStart * 1000).toISOString().slice(0, 10)}.json`, day)
    day = []
  }
  if (!isDm(room)) {
    const ts = `${second}.000001`
    day.push({ type: 'message', subtype: 'channel_join', user: room.members[0], ts, text: 'joined' })
  }
  for (let sequence = 2; sequence < count + 2; sequence++) {
    second += Math.floor(chance.number() * 600)
    while (second >= dayStart + dayS) {
      flush()
      dayStart += dayS
    }
    const ts = `${second}.${String(sequence % 1_000_000).padStart(6, '0')}`
    const reply = !isDm(room) && roots.length > 0 && chance.number() < 0.3
    const message = post(ts, chance.pick(room.members), chance)
    if (reply) {
      const broadcast = chance.number() < 0.05 ? { subtype: 'thread_broadcast' } : {}
      day.push({ ...message, thread_ts: chance.pick(roots), ...broadcast })
    } else {
      day.push(message)
      roots.push(ts)
      if (roots.length > 20) roots.shift()
    }
    counted[reply ? 'replies' : 'messages']++
    counted.reactions += (message.reactions ?? []).reduce((sum, { users }) => sum + users.length, 0)
  }
  flush()
  return counted
}

function post(ts: string, author: string, chance: Chance) {
  const text = Array.from({ length: 3 + Math.floor(chance.number() * 20) }, () => chance.pick(words)).join(' ')
  const extra = chance.number()
  return {
    ...{ type: 'message', user: author, ts, client_msg_id: `m-${ts}` },
    text: extra < 0.05 ? `<@${chance.person()}> ${text} <https://example.org/?q=1&amp;r=2|*page*>` : text,
    ...(extra > 0.95 && { edited: { user: author, ts } }),
    ...(extra > 0.8 && { reactions: [{ name: chance.pick(emojis), users: chance.people(3), count: 3 }] }),
  }
}

function user(index: number) {
  const name = `person${index}`
  const id = `U${String(index).padStart(8, '0')}`
  const profile = {
    ...{ real_name: `Person Number ${index}`, display_name: `Person ${index}`, email: `${name}@import.example.org` },
    team: 'T0PARLEY',
  }
  return { id, team_id: 'T0PARLEY', name, deleted: index % 29 === 28, is_bot: false, profile, updated: begin }
}

const conversations = (count: number, letter: string, stem: string, first: string, chance: Chance) =>
  Array.from({ length: count }, (_, index) => ({
    ...{ id: `${letter}${String(index).padStart(8, '0')}`, name: `${stem}-${index}`, created: begin },
    is_archived: letter === 'C' && index % 10 === 9,
    members: [...new Set([first, ...chance.people(40)])],
    topic: { value: `All about ${stem} ${index}` },
    purpose: { value: '' },
  }))

class Chance {
  readonly #people: readonly string[]
  #state: number

  constructor(seed: number, people: readonly string[]) {
    this.#state = seed
    this.#people = people
  }

  number(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    const state = this.#state
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.number() * items.length)] as T
  }

  person(): string {
    return this.pick(this.#people)
  }

  people(atMost: number): string[] {
    return [...new Set(Array.from({ length: atMost }, () => this.person()))]
  }
}
