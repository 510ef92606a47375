import type { Client } from '@connectrpc/connect'
import type { AccountsInternalService, RoomsInternalService } from '@parley/contracts/internal'
import { logger } from '@parley/telemetry'
import type { Surroundings } from '../domain/surroundings.ts'

const log = logger('notifications')
const options = { timeoutMs: 1_500 }

/** Asks neighbours who and where; what they do not answer is left out. */
export const askSurroundings =
  (accounts: Client<typeof AccountsInternalService>, rooms: Client<typeof RoomsInternalService>) =>
  async (userIds: readonly string[], roomIds: readonly string[]): Promise<Surroundings> => {
    const leftOut = (error: unknown) => {
      log.warn({ err: error }, 'notifications are shown without names of people or rooms')
      return undefined
    }
    const [people, places] = await Promise.all([
      userIds.length > 0 ? accounts.getProfiles({ userIds: [...userIds] }, options).catch(leftOut) : undefined,
      roomIds.length > 0 ? rooms.getRooms({ roomIds: [...roomIds] }, options).catch(leftOut) : undefined,
    ])
    const profiles = people?.profiles.flatMap(({ user }) => user ?? []) ?? []
    return {
      users: new Map(profiles.map((user) => [user.id, user])),
      rooms: new Map(places?.rooms.map((room) => [room.roomId, room])),
    }
  }
