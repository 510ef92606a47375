import { create } from '@bufbuild/protobuf'
import { Code, ConnectError, type Client } from '@connectrpc/connect'
import { AdminServerStatsSchema, type AdminServerStats } from '@parley/contracts/admin'
import type { AccountsInternalService, RoomsInternalService } from '@parley/contracts/internal'

type Clients = { accounts: Client<typeof AccountsInternalService>; rooms: Client<typeof RoomsInternalService> }

const timeoutMs = 2000

/** Undefined if a call fails, except that the error `internal` is thrown. */
export async function countUsersAndRooms({ accounts, rooms }: Clients): Promise<AdminServerStats | undefined> {
  try {
    const [users, { channels, dms }] = await Promise.all([
      accounts.countUsers({}, { timeoutMs }),
      rooms.countRooms({}, { timeoutMs }),
    ])
    return create(AdminServerStatsSchema, { userCount: users.count, channelRoomCount: channels, dmRoomCount: dms })
  } catch (error) {
    if (ConnectError.from(error).code === Code.Internal) throw error
    return undefined
  }
}
