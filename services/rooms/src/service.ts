import { AccountsInternalService, AdminInternalService, MessagingInternalService } from '@parley/contracts/internal'
import { openReads, type Service } from '@parley/runtime'
import { startDatabaseHost, type DatabaseHost } from '@parley/service'
import { applyFacts, readHeldRoom } from './clients/messaging.ts'
import type { Config } from './config.ts'
import { onAccessEvent, onProfileEvent } from './consumers/people.ts'
import type { Context } from './context.ts'
import { tooManyReads } from './errors.ts'
import { erasePerson } from './actions/erasure/erase-person.ts'
import { checkMessaging } from './jobs/check-messaging.ts'
import { endExpiredBans } from './jobs/end-expired-bans.ts'
import { fillPeople } from './jobs/fill-people.ts'
import { handOverLeftBehind } from './jobs/hand-over-left-behind.ts'
import { makeLobby } from './jobs/make-lobby.ts'
import { commitChanges, lookTogether, openFactDelivery, WriteQueue } from './engines/delivery/index.ts'
import { routes } from './rpc/index.ts'
import { readDmKey } from './store/dm-ids.ts'

export type Overrides = {
  now?: () => Date
  /** How long the check of what messaging holds rests, per step of a walk. */
  checkRestMs?: number
  /** Gives up starting. */
  stop?: AbortSignal
}

/** Starts the deployable. */
export function startRooms(config: Config, overrides: Overrides = {}): Promise<Service> {
  const { stop } = overrides
  const waitsFor = ['policy', 'first rooms']
  return startDatabaseHost({ name: 'rooms', config, waitsFor, stop }, (host) => compose(host, config, overrides))
}

async function compose(host: DatabaseHost, config: Config, overrides: Overrides): Promise<void> {
  const { db, signal } = host
  const accounts = host.client(AccountsInternalService)
  const admin = host.client(AdminInternalService)
  const messaging = host.client(MessagingInternalService)
  const apply = applyFacts(messaging)
  const read = readHeldRoom(messaging)
  const ctx: Context = {
    ...{ db, accounts, admin, messaging },
    reads: openReads({ connections: config.databasePool, refusal: tooManyReads }),
    policy: await host.policy(admin),
    relay: await host.relay(),
    delivery: host.use(openFactDelivery({ db, apply, read, timeoutMs: config.handOverTimeoutMs })),
    dmKey: await host.retry(() => readDmKey(db)),
    look: lookTogether(db),
    writes: new WriteQueue((roomId, changes) => commitChanges(db, roomId, changes)),
    now: overrides.now ?? (() => new Date()),
  }
  await host.consume({ durable: 'people', subject: 'evt.user.>', prepare: onProfileEvent(accounts) })
  await host.consume({ durable: 'people-access', subject: 'evt.control.user.>', on: onAccessEvent(accounts) })
  await host.erase(erasePerson(ctx), accounts)
  host.use(handOverLeftBehind(ctx, signal))
  host.use(checkMessaging(ctx, apply, { signal, restMs: overrides.checkRestMs }))
  host.use(endExpiredBans(ctx, signal))
  host.forgetAnswers()
  host.background(fillPeople(ctx, signal))
  host.background(makeLobby(ctx, signal).then(() => host.ready('first rooms')))
  await host.serve({ routes: routes(ctx) })
}
