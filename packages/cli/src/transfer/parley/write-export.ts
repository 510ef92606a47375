import { timestampDate, type Timestamp } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError } from '@connectrpc/connect'
import type { ExportMessagesResponse_Message, ExportRoomsResponse_Room } from '@parley/contracts/internal'
import { exitCodes, Failure } from '../../failure.ts'
import type { TransferFleet } from '../fleet.ts'
import { formatName, formatVersion, type Line, type MessageLine, type RoomLine } from './format.ts'

export type ExportOptions = {
  /** Ids or names of rooms; empty for all rooms. */
  rooms: readonly string[]
  write: (line: Line) => Promise<void>
  /** If undefined, only the properties of files are written. */
  saveFile: ((assetId: string, bytes: AsyncIterable<Uint8Array>) => Promise<void>) | undefined
  progress: (at: { room: string; messages: number }) => void
}

export type Exported = {
  rooms: number
  people: number
  messages: number
  files: number
  /** Files whose bytes are lost or were deleted during the export: their number, and the ids of the first 100. */
  missing: { files: number; assets: string[] }
}

type ExportedFleet = Omit<TransferFleet, 'storage' | 'parkedEvents'>

export async function exportRooms(fleet: ExportedFleet, options: ExportOptions): Promise<Exported> {
  return new Exporter(fleet, options).run()
}

const peoplePerCall = 500
const roomsPerCall = 500
const maxMissingListed = 100

class Exporter {
  readonly #fleet: ExportedFleet
  readonly #options: ExportOptions
  readonly #people = new Set<string>()
  readonly #result: Exported = { rooms: 0, people: 0, messages: 0, files: 0, missing: { files: 0, assets: [] } }

  constructor(fleet: ExportedFleet, options: ExportOptions) {
    this.#fleet = fleet
    this.#options = options
  }

  async run(): Promise<Exported> {
    const { write } = this.#options
    const { serverId: server, groups } = await this.#fleet.rooms.exportLayout({})
    await this.#assertRooms()
    const exportedAt = new Date().toISOString()
    await write({ type: 'header', format: formatName, version: formatVersion, server, exportedAt })
    for (const { groupId: id, name, description } of groups) await write({ type: 'group', id, name, description })
    for await (const room of this.#inOrder(groups.flatMap(({ roomIds }) => roomIds))) await this.#writeRoom(room)
    await write({ type: 'end', messages: this.#result.messages })
    return this.#result
  }

  /** Rooms outside the sidebar come last, by id. */
  async *#inOrder(sidebarOrder: readonly string[]): AsyncGenerator<ExportRoomsResponse_Room> {
    const wanted = this.#options.rooms.length === 0 ? undefined : new Set<string>()
    if (wanted) for await (const { roomId } of this.#rooms()) wanted.add(roomId)
    const ids = sidebarOrder.filter((id) => wanted?.has(id) ?? true)
    for (let from = 0; from < ids.length; from += roomsPerCall) {
      const idsOrNames = ids.slice(from, from + roomsPerCall)
      const { rooms } = await this.#fleet.rooms.exportRooms({ idsOrNames })
      const byId = new Map(rooms.map((room) => [room.roomId, room]))
      yield* idsOrNames.flatMap((id) => byId.get(id) ?? [])
    }
    const written = new Set(ids)
    for await (const room of this.#rooms()) if (!written.has(room.roomId)) yield room
  }

  async *#rooms(): AsyncGenerator<ExportRoomsResponse_Room> {
    const idsOrNames = [...this.#options.rooms]
    for (let after = ''; ;) {
      const { rooms } = await this.#fleet.rooms.exportRooms({ after, idsOrNames })
      yield* rooms
      const last = rooms.at(-1)
      if (!last) return
      after = last.roomId
    }
  }

  /** Runs before anything is written. */
  async #assertRooms(): Promise<void> {
    if (this.#options.rooms.length === 0) return
    const found = new Set<string>()
    for await (const { roomId, name } of this.#rooms()) found.add(roomId).add(name.toLowerCase())
    const missing = this.#options.rooms.filter((room) => !found.has(room) && !found.has(room.toLowerCase()))
    if (missing.length > 0) throw new Failure(exitCodes.refused, 'not_found', `there is no room ${missing.join(', ')}`)
  }

  async #writeRoom(room: ExportRoomsResponse_Room): Promise<void> {
    const { write, progress } = this.#options
    await write(toRoomLine(room))
    for (let after = ''; ;) {
      const { userIds } = await this.#fleet.rooms.exportMembers({ roomId: room.roomId, after })
      const last = userIds.at(-1)
      if (last === undefined) break
      await this.#writePeople(userIds)
      await write({ type: 'members', people: userIds })
      after = last
    }
    for (let after = 0n; ;) {
      const { messages } = await this.#fleet.messaging.exportMessages({ roomId: room.roomId, after })
      const last = messages.at(-1)
      if (!last) break
      await this.#writePeople(messages.flatMap(peopleOf))
      for (const message of messages) {
        await this.#fetchReactions(room.roomId, message)
        await this.#writeMessage(message)
      }
      progress({ room: room.name, messages: this.#result.messages })
      after = last.roomSeq
    }
    this.#result.rooms++
  }

  /** Adds the reactions that the response with the message left out. */
  async #fetchReactions(roomId: string, message: ExportMessagesResponse_Message): Promise<void> {
    const byEmoji = new Map(message.reactions.map((reaction) => [reaction.emoji, reaction]))
    for (let more = message.moreReactions; more;) {
      const skippedReactions = message.reactions.reduce((sum, { userIds }) => sum + userIds.length, 0)
      const after = message.roomSeq - 1n
      const { messages } = await this.#fleet.messaging.exportMessages({ roomId, after, skippedReactions })
      const part = messages.find(({ roomSeq }) => roomSeq === message.roomSeq)
      if (!part || part.reactions.length === 0) return
      await this.#writePeople(peopleOf(part))
      for (const reaction of part.reactions) {
        const known = byEmoji.get(reaction.emoji)
        if (known) known.userIds.push(...reaction.userIds)
        else {
          byEmoji.set(reaction.emoji, reaction)
          message.reactions.push(reaction)
        }
      }
      more = part.moreReactions
    }
  }

  async #writeMessage(message: ExportMessagesResponse_Message): Promise<void> {
    await this.#options.write(toMessageLine(message))
    this.#result.messages++
    for (const { assetId } of message.attachments) await this.#saveFile(assetId)
  }

  async #saveFile(assetId: string): Promise<void> {
    if (!this.#options.saveFile) return
    try {
      await this.#options.saveFile(assetId, this.#bytesOf(assetId))
      this.#result.files++
    } catch (error) {
      if (!(error instanceof ConnectError) || error.code !== Code.NotFound) throw error
      const { missing } = this.#result
      missing.files++
      if (missing.assets.length < maxMissingListed) missing.assets.push(assetId)
    }
  }

  async *#bytesOf(assetId: string): AsyncGenerator<Uint8Array> {
    for (let offset = 0n; ;) {
      const { content, size } = await this.#fleet.uploads.exportFile({ assetId, offset })
      if (content.length === 0 && offset < size) throw new ConnectError('the file is truncated', Code.NotFound)
      yield content
      offset += BigInt(content.length)
      if (offset >= size) return
    }
  }

  async #writePeople(userIds: readonly string[]): Promise<void> {
    const unwritten = [...new Set(userIds)].filter((id) => id !== '' && !this.#people.has(id))
    for (let from = 0; from < unwritten.length; from += peoplePerCall) {
      const ids = unwritten.slice(from, from + peoplePerCall)
      const { people } = await this.#fleet.accounts.exportPeople({ userIds: ids })
      for (const { userId: id, login, displayName, emails, deleted, createdAt } of people) {
        await this.#options.write({
          ...{ type: 'person', id, login, displayName, emails, deleted, createdAt: timeOf(createdAt) ?? '' },
        })
        this.#result.people++
      }
      for (const id of ids) this.#people.add(id)
    }
  }
}

const timeOf = (at: Timestamp | undefined): string | undefined => at && timestampDate(at).toISOString()

const peopleOf = ({ authorId, reactions }: ExportMessagesResponse_Message): string[] => [
  authorId,
  ...reactions.flatMap(({ userIds }) => userIds),
]

function toRoomLine(room: ExportRoomsResponse_Room): RoomLine {
  const { roomId: id, dm, name, description, groupId: group, universal, archived, createdAt } = room
  return {
    type: 'room',
    ...{ id, kind: dm ? 'dm' : 'channel', name, description, group, private: room.private, universal, archived },
    createdAt: timeOf(createdAt) ?? '',
  }
}

function toMessageLine(message: ExportMessagesResponse_Message): MessageLine {
  const { eventId: id, authorId: author, body, threadRootEventId, inReplyTo, reactions, attachments } = message
  const [updatedAt, deletedAt] = [timeOf(message.updatedAt), timeOf(message.deletedAt)]
  return {
    ...{ type: 'message', id, author, createdAt: timeOf(message.createdAt) ?? '' },
    ...(updatedAt !== undefined && deletedAt === undefined && { updatedAt }),
    ...(deletedAt !== undefined && { deletedAt }),
    ...(body !== '' && { body }),
    ...(threadRootEventId !== '' && { threadRoot: threadRootEventId }),
    ...(inReplyTo !== '' && { inReplyTo }),
    ...(message.alsoInChannel && { alsoInChannel: true }),
    ...(reactions.length > 0 && { reactions: reactions.map(({ emoji, userIds }) => ({ emoji, people: userIds })) }),
    ...(attachments.length > 0 && {
      attachments: attachments.map(({ assetId: asset, filename, contentType, size, width, height }) => {
        return { asset, filename, contentType, size: Number(size), width, height }
      }),
    }),
    ...(message.linkPreview && { preview: previewOf(message.linkPreview) }),
  }
}

/** The image of a preview is not exported. */
const previewOf = ({
  url,
  title,
  description,
  siteName,
  embedType,
  embedId,
}: NonNullable<ExportMessagesResponse_Message['linkPreview']>) => {
  return { url, title, description, siteName, embedType, embedId }
}
