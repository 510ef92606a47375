import { AccountsInternalService, MessagingInternalService, RoomsInternalService } from '@parley/contracts/internal'
import { NameResolver } from '@parley/outbound'
import type { DatabaseHost } from '@parley/service'
import { Audiences } from './clients/audiences.ts'
import { checkCredential } from './clients/credentials.ts'
import { fetchPeople } from './clients/people.ts'
import { RoomAccess } from './clients/rooms.ts'
import { SmallRooms } from './clients/small-rooms.ts'
import { applyLevel } from './clients/apply-level.ts'
import type { Config } from './config.ts'
import type { Context } from './context.ts'
import { pushNetwork, startPushes, type PushOverrides } from './engines/push/index.ts'

export type TestOverrides = { now?: () => Date; push?: PushOverrides }

/** Opens the context, and starts sending pushes. */
export async function openContext(host: DatabaseHost, config: Config, overrides: TestOverrides): Promise<Context> {
  const { db } = host
  const accounts = host.client(AccountsInternalService)
  const rooms = host.client(RoomsInternalService)
  const messaging = host.client(MessagingInternalService)
  const relay = await host.relay()
  const names = host.use(new NameResolver())
  const { pushAllowPrivate: allowPrivate, privateNetworks } = config
  const network = overrides.push?.network ?? pushNetwork({ allowPrivate, privateNetworks, names })
  const audiences = new Audiences(rooms, messaging, accounts)
  const services = { accounts, rooms, messaging }
  host.use(startPushes({ db, settings: config.push, services, ...overrides.push, network }))
  return {
    ...{ db, relay },
    rooms: new RoomAccess(rooms),
    audiences,
    smallRooms: new SmallRooms(audiences),
    applyLevel: applyLevel(messaging),
    fetchPeople: fetchPeople(accounts),
    isCredentialValid: checkCredential(accounts),
    push: { enabled: config.push !== undefined, network },
    now: overrides.now ?? (() => new Date()),
  }
}
