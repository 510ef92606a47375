import type { Client } from '@connectrpc/connect'
import type { MessageInitShape } from '@bufbuild/protobuf'
import { PresenceStatus } from '@parley/contracts/api'
import type {
  AccountsInternalService,
  ListRecipientsRequestSchema,
  MessagingInternalService,
  RoomsInternalService,
} from '@parley/contracts/internal'

const defaultTimeoutMs = 3_000
const options = { timeoutMs: defaultTimeoutMs }

/** Limit of user ids in a request to another service and in a response. */
export const idsPerCall = 1000

type RoomQuery = Pick<MessageInitShape<typeof ListRecipientsRequestSchema>, 'userIds' | 'roleIds' | 'all' | 'after'>

export type People = { userIds: string[]; last: boolean }

/** Users missing from the map are offline. Undefined while presence is unknown. */
export type Presences = ReadonlyMap<string, PresenceStatus> | undefined

export class Audiences {
  readonly #rooms: Client<typeof RoomsInternalService>
  readonly #messaging: Client<typeof MessagingInternalService>
  readonly #accounts: Client<typeof AccountsInternalService>

  constructor(
    rooms: Client<typeof RoomsInternalService>,
    messaging: Client<typeof MessagingInternalService>,
    accounts: Client<typeof AccountsInternalService>,
  ) {
    this.#rooms = rooms
    this.#messaging = messaging
    this.#accounts = accounts
  }

  /** Finds effective members of a room, the room's name, and whether the room is universal. */
  async listMembers(
    roomId: string,
    query: RoomQuery,
    limit: number = idsPerCall,
    timeoutMs: number = defaultTimeoutMs,
  ): Promise<People & { roomName: string; universal: boolean }> {
    const { userIds, room } = await this.#rooms.listRecipients({ roomId, ...query, limit }, { timeoutMs })
    return { userIds, last: userIds.length < limit, roomName: room?.name ?? '', universal: room?.universal ?? false }
  }

  async listThreadFollowers(roomId: string, threadRootEventId: string, after: string): Promise<People> {
    const request = { roomId, threadRootEventId, after, limit: idsPerCall }
    const { userIds } = await this.#messaging.listThreadFollowers(request, options)
    return { userIds, last: userIds.length < idsPerCall }
  }

  async getPresences(userIds: readonly string[]): Promise<Presences> {
    const chunks = Array.from({ length: Math.ceil(userIds.length / idsPerCall) }, (_, index) =>
      userIds.slice(index * idsPerCall, (index + 1) * idsPerCall),
    )
    const answers = await Promise.all(chunks.map((chunk) => this.#accounts.getPresences({ userIds: chunk }, options)))
    if (answers.some(({ unknown }) => unknown)) return undefined
    return new Map(answers.flatMap(({ presences }) => presences.map(({ userId, status }) => [userId, status] as const)))
  }
}

export const isOnline = (presences: Presences, userId: string): boolean =>
  (presences?.get(userId) ?? PresenceStatus.OFFLINE) !== PresenceStatus.OFFLINE

/**
 * False while presence is unknown: a silent notification would never be pushed, whereas presence is checked again
 * before each push.
 */
export const isDoNotDisturb = (presences: Presences, userId: string): boolean =>
  presences?.get(userId) === PresenceStatus.DO_NOT_DISTURB
