import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError } from '@connectrpc/connect'
import type { ImportRoomRequestSchema, ImportRoomResponse } from '@parley/contracts/internal'
import type { ArchivedGroup, ArchivedRoom } from './archive.ts'
import type { TransferFleet } from './fleet.ts'
import type { PeopleImporter } from './people-importer.ts'
import type { Report } from './report.ts'

const membersPerCall = 1_000
const readersPerCall = 500
const maxParticipants = 10

export type OpenRoom = {
  archived: ArchivedRoom
  roomId: string
  name: string
  memberIds: string[]
  dm: boolean
  hasImportedMessages: boolean
}

type Options = { source: string; group: string; report: Report; people: PeopleImporter }

export class RoomImporter {
  readonly #fleet: Pick<TransferFleet, 'rooms' | 'messaging'>
  readonly #options: Options
  readonly #groups = new Map<string, string>()
  readonly #names = new Map<string, string>()
  #defaultGroupId: string | undefined

  constructor(fleet: Pick<TransferFleet, 'rooms' | 'messaging'>, options: Options) {
    this.#fleet = fleet
    this.#options = options
  }

  async importGroup({ id, name, description }: ArchivedGroup): Promise<void> {
    const { groupId, made } = await this.#fleet.rooms.importGroup({ name, description })
    this.#groups.set(id, groupId)
    if (made) this.#options.report.addImported('groups')
  }

  /** Returns undefined for a direct message, and for a room that has not been imported. */
  nameOf(id: string): string | undefined {
    return this.#names.get(id)
  }

  /** Finds the room that an earlier run created, or creates it. Returns undefined if it cannot be created. */
  async open(archived: ArchivedRoom, people: readonly string[]): Promise<OpenRoom | undefined> {
    const { source, report } = this.#options
    const memberIds = this.#membersOf(archived, people)
    const dm = archived.dm && memberIds.length <= maxParticipants
    if (dm && memberIds.length === 0) {
      report.addSkipped('rooms', 'none of its participants is known', archived.location)
      return undefined
    }
    const [first, ...rest] = chunks(memberIds, membersPerCall)
    const createdAt = archived.createdAt && { createdAt: timestampFromDate(archived.createdAt) }
    const groupId = dm ? '' : await this.#groupOf(archived)
    const opened = await this.#importRoom({
      ...{ source, externalId: archived.id, dm, name: archived.name.slice(0, 200), groupId },
      ...{ description: archived.description.slice(0, 1_000), universal: archived.universal, memberIds: first ?? [] },
      // A conversation too large for a direct message becomes a private room.
      ...{ private: !dm && (archived.private || archived.dm), ...createdAt },
    })
    if (typeof opened === 'string') {
      report.addSkipped('rooms', opened, archived.location)
      return undefined
    }
    const { roomId, name, made } = opened
    const joinedAt = archived.createdAt && { joinedAt: timestampFromDate(archived.createdAt) }
    if (made) report.addImported(dm ? 'direct messages' : 'channels')
    if (!dm && name.toLowerCase() !== archived.name.toLowerCase())
      report.addAltered('channels', 'its name was changed', `${archived.location} is ${name}`)
    if (name !== '') this.#names.set(archived.id, name)
    const { entries } = await this.#fleet.messaging.importProgress({ roomIds: [roomId] })
    const hasImportedMessages = entries.length > 0
    // People who left a room after an earlier import must not be added again.
    if (!dm && !archived.universal && !hasImportedMessages)
      for (const userIds of rest) await this.#fleet.rooms.importMembers({ roomId, userIds, ...joinedAt })
    return { archived, roomId, name, memberIds, dm, hasImportedMessages }
  }

  /** Returns the reason if the service `rooms` refuses the room. */
  async #importRoom(room: MessageInitShape<typeof ImportRoomRequestSchema>): Promise<ImportRoomResponse | string> {
    try {
      return await this.#fleet.rooms.importRoom(room)
    } catch (error) {
      if (error instanceof ConnectError && error.code === Code.InvalidArgument) return error.rawMessage
      throw error
    }
  }

  async complete({ archived, roomId, memberIds, dm }: OpenRoom, hasMessages: boolean): Promise<void> {
    const readers = archived.universal ? this.#options.people.everybody() : memberIds
    if (hasMessages)
      for (const userIds of chunks(readers, readersPerCall))
        await this.#fleet.messaging.finishImport({ roomId, userIds })
    if (archived.archived && !dm) await this.#fleet.rooms.archiveImportedRoom({ roomId })
  }

  /** Deleted people are kept only in direct messages, whose participants do not change. */
  #membersOf({ location, dm }: ArchivedRoom, people: readonly string[]): string[] {
    const known = people.flatMap((id) => {
      const account = this.#options.people.find(id)
      if (!account) this.#options.report.addSkipped('members', 'the archive does not say who they are', location)
      return account && (dm || account.login !== '') ? account.userId : []
    })
    return [...new Set(known)]
  }

  async #groupOf({ groupId }: ArchivedRoom): Promise<string> {
    const known = groupId === undefined ? undefined : this.#groups.get(groupId)
    return known ?? (this.#defaultGroupId ??= await this.#importDefaultGroup())
  }

  async #importDefaultGroup(): Promise<string> {
    const { groupId, made } = await this.#fleet.rooms.importGroup({ name: this.#options.group })
    if (made) this.#options.report.addImported('groups')
    return groupId
  }
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  const parts: T[][] = []
  for (let from = 0; from < items.length; from += size) parts.push(items.slice(from, from + size))
  return parts
}
