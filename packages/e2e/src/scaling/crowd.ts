import { randomBytes } from 'node:crypto'
import { createParleyClient, newerRoomEvents, type ParleyClient } from '@parley/client'
import { AdminUserService } from '@parley/contracts/admin'
import { MessageService, RoomDirectoryService, RoomService } from '@parley/contracts/api'
import { WebSocket } from 'ws'
import { ownerCredentials } from '../fleet.ts'
import { type Person, signIn } from '../people.ts'
import { roomName } from '../rooms.ts'
import { Traffic } from '../traffic.ts'
import { CheckedStream, type Faults, type SentPost } from './checked-stream.ts'

/** So many, because one person may have at most 100 sockets open to one node. */
const people = 12
const opensAtOnce = 20

export class Crowd {
  readonly streams: CheckedStream[] = []
  readonly #clients: readonly ParleyClient[]
  readonly #roomId: string
  readonly #socketUrl: string
  readonly #traffic: Traffic
  readonly #start: string

  private constructor(poster: Person, clients: readonly ParleyClient[], room: Room, urls: Urls) {
    const { roomId } = room
    this.#clients = clients
    this.#roomId = roomId
    this.#start = room.cursor
    this.#socketUrl = urls.sockets
    this.#traffic = new Traffic(1, 100, (n) =>
      poster.attempt(MessageService.method.createMessage, { roomId, body: `number ${n}` }, { base: urls.gateway }),
    )
  }

  static async create(urls: Urls): Promise<Crowd> {
    const base = urls.gateway
    const owner = await signIn(ownerCredentials, base)
    const { groups } = await owner.call(RoomDirectoryService.method.listRoomGroups, {}, { base })
    const room = { name: roomName(), groupId: groups[0]?.id ?? '' }
    const created = await owner.call(RoomService.method.createRoom, room, { base })
    const roomId = created.room?.id ?? ''
    const clients: ParleyClient[] = []
    for (let n = 0; n < people; n++) {
      const member = await newMember(owner, roomId, base)
      clients.push(createParleyClient({ baseUrl: base, webSocket: WebSocket, token: member.token }))
    }
    // A room without messages has no cursor.
    await owner.call(MessageService.method.createMessage, { roomId, body: 'the first' }, { base })
    const { page } = await owner.call(RoomService.method.getRoomEvents, { roomId }, { base })
    return new Crowd(owner, clients, { roomId, cursor: page?.endCursor ?? '' }, urls)
  }

  get open(): CheckedStream[] {
    return this.streams.filter(({ isClosed }) => !isClosed)
  }

  /** Closes the oldest first. */
  async resize(count: number): Promise<void> {
    for (const stream of this.open.slice(0, -count)) stream.close()
    while (this.open.length < count) {
      const added = Array.from({ length: Math.min(opensAtOnce, count - this.open.length) }, () => this.#stream())
      await Promise.all(added.map((stream) => stream.waitUntilOpen()))
    }
  }

  #stream(): CheckedStream {
    const client = this.#clients[this.streams.length % people]
    if (client === undefined) throw new Error('the crowd has no clients')
    const stream = new CheckedStream(client, this.#socketUrl, this.#roomId)
    this.streams.push(stream)
    return stream
  }

  async finish(): Promise<{ log: string[]; answered: number; failed: string[] }> {
    await this.#traffic.stop()
    const [reader] = this.#clients
    const log: string[] = []
    if (reader !== undefined)
      for await (const { id, event } of newerRoomEvents(reader.api.room, {
        roomId: this.#roomId,
        after: this.#start,
        limit: 100,
      }))
        if (event.case === 'messagePosted') log.push(id)
    return { log, answered: this.#traffic.succeeded.length, failed: this.#traffic.failed }
  }

  faults(log: readonly string[]): Faults {
    const sent = this.#sent()
    const each = this.streams.map((stream) => stream.faults(log, sent))
    const sum = (fault: keyof Faults) => each.reduce((total, faults) => total + faults[fault], 0)
    return { missed: sum('missed'), twice: sum('twice'), outOfOrder: sum('outOfOrder') }
  }

  #sent(): SentPost[] {
    return this.#traffic.succeeded.flatMap(({ answer, startedAt }) => {
      const { message } = answer?.body as { message: { id: string } }
      return [{ id: message.id, startedAt: performance.timeOrigin + startedAt }]
    })
  }

  close(): void {
    for (const stream of this.open) stream.close()
  }
}

type Room = { roomId: string; cursor: string }
type Urls = { gateway: string; sockets: string }

async function newMember(owner: Person, roomId: string, base: string): Promise<Person> {
  const login = `member-${randomBytes(5).toString('hex')}`
  const password = randomBytes(12).toString('hex')
  await owner.call(AdminUserService.method.createUser, { login, password, roleNames: [] }, { base })
  const member = await signIn({ login, password }, base)
  await member.call(RoomService.method.joinRoom, { roomId }, { base })
  return member
}
