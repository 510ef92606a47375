import { AccountsInternalService, AdminInternalService, MessagingInternalService } from '@parley/contracts/internal'
import { createReadSemaphore } from '@parley/runtime'
import type { DatabaseHost } from '@parley/service'
import { applyFacts, readHeldRoom } from './clients/messaging.ts'
import type { Config } from './config.ts'
import type { Context } from './context.ts'
import { commitChanges, batchRoomReads, openFactDelivery, WriteQueue } from './engines/delivery/index.ts'
import { tooManyReads } from './errors.ts'
import { readDmKey } from './store/dm-ids.ts'

export type TestOverrides = { now?: () => Date }

export async function openContext(host: DatabaseHost, config: Config, overrides: TestOverrides): Promise<Context> {
  const { db, pool } = host
  const admin = host.client(AdminInternalService)
  const messaging = host.client(MessagingInternalService)
  const [apply, read] = [applyFacts(messaging), readHeldRoom(messaging)]
  return {
    ...{ db, pool, accounts: host.client(AccountsInternalService), admin, messaging },
    reads: createReadSemaphore({ connections: config.databasePool, refusal: tooManyReads }),
    policy: await host.policy(admin),
    relay: await host.relay(),
    delivery: host.use(openFactDelivery({ db, apply, read, timeoutMs: config.deliveryTimeoutMs })),
    dmKey: await host.retry(() => readDmKey(db)),
    readRoom: batchRoomReads(db),
    writes: new WriteQueue((roomId, changes) => commitChanges(db, roomId, changes)),
    now: overrides.now ?? (() => new Date()),
  }
}
