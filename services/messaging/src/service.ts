import { AccountsInternalService } from '@parley/contracts/internal'
import { refuseErased } from '@parley/events'
import type { Service } from '@parley/runtime'
import { startDatabaseHost, type DatabaseHost, type StartOptions } from '@parley/service'
import { erasePerson } from './actions/erasure/erase-person.ts'
import type { Config } from './config.ts'
import { onNotificationLevel } from './consumers/notification-level.ts'
import { startJobs } from './jobs/index.ts'
import { openContext, type TestOverrides } from './open-context.ts'
import { routes } from './rpc/index.ts'

export type Overrides = TestOverrides & StartOptions

export function startMessaging(config: Config, overrides: Overrides = {}): Promise<Service> {
  const options = { name: 'messaging', config, waitsFor: ['policy'], forceGenericPlans: true, overrides } as const
  return startDatabaseHost(options, (host) => compose(host, config, overrides))
}

/**
 * The guard refuses writing methods to users whose account is deleted. UpdateTypingIndicator stores nothing; the
 * statements of the other exempt methods check this themselves.
 */
const exemptFromErasureGuard = new Set([
  ...['CreateMessage', 'UpdateMessage', 'DeleteMessage', 'DeleteAttachment', 'DeleteLinkPreview'],
  ...['AddReaction', 'RemoveReaction', 'MarkRoomAsRead', 'MarkThreadAsRead', 'FollowThread', 'UnfollowThread'],
  'UpdateTypingIndicator',
])

async function compose(host: DatabaseHost, config: Config, overrides: Overrides): Promise<void> {
  const ctx = await openContext(host, config, overrides)
  startJobs(host, ctx)
  await host.consume({ durable: 'levels', subject: 'evt.preference.>', on: onNotificationLevel })
  await host.erase(erasePerson(ctx.pool), host.client(AccountsInternalService))
  const guard = refuseErased(ctx.db, exemptFromErasureGuard)
  await host.serve({ routes: routes(ctx), guard })
}
