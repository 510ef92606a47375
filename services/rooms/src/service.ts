import { AccountsInternalService } from '@parley/contracts/internal'
import type { Service } from '@parley/runtime'
import { startDatabaseHost, type DatabaseHost, type Starting } from '@parley/service'
import { erasePerson } from './actions/erasure/erase-person.ts'
import { applyFacts } from './clients/messaging.ts'
import type { Config } from './config.ts'
import { onAccessEvent, onProfileEvent } from './consumers/people.ts'
import { checkMessaging } from './jobs/check-messaging.ts'
import { endExpiredBans } from './jobs/end-expired-bans.ts'
import { fillPeople } from './jobs/fill-people.ts'
import { handOverLeftBehind } from './jobs/hand-over-left-behind.ts'
import { makeLobby } from './jobs/make-lobby.ts'
import { openContext, type Replaced } from './open-context.ts'
import { routes } from './rpc/index.ts'

export type Overrides = Replaced &
  Starting & {
    /** Pause between two steps of the periodic comparison with messaging. */
    checkRestMs?: number
  }

/** Starts the deployable. */
export function startRooms(config: Config, overrides: Overrides = {}): Promise<Service> {
  const waitsFor = ['policy', 'first rooms']
  return startDatabaseHost({ name: 'rooms', config, waitsFor, overrides }, (host) => compose(host, config, overrides))
}

async function compose(host: DatabaseHost, config: Config, overrides: Overrides): Promise<void> {
  const { signal } = host
  const accounts = host.client(AccountsInternalService)
  const ctx = await openContext(host, config, overrides)
  await host.consume({ durable: 'people', subject: 'evt.user.>', prepare: onProfileEvent(accounts) })
  await host.consume({ durable: 'people-access', subject: 'evt.control.user.>', on: onAccessEvent(accounts) })
  await host.erase(erasePerson(ctx), accounts)
  host.use(handOverLeftBehind(ctx, signal))
  host.use(checkMessaging(ctx, applyFacts(ctx.messaging), { signal, restMs: overrides.checkRestMs }))
  host.use(endExpiredBans(ctx, signal))
  host.forgetAnswers()
  host.background(fillPeople(ctx, signal))
  host.background(makeLobby(ctx, signal).then(() => host.ready('first rooms')))
  await host.serve({ routes: routes(ctx) })
}
