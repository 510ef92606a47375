import { AdminInternalService, type Event } from '@parley/contracts/internal'
import { followControl, followEvents } from '@parley/events'
import { createReadSemaphore } from '@parley/runtime'
import type { DatabaseHost } from '@parley/service'
import { RoomHeaderCache } from './actions/room-log/room-header-cache.ts'
import { RoomWriter } from './actions/room-log/room-writer.ts'
import { writeBatch } from './actions/room-log/write-batch.ts'
import { claimAssets } from './clients/assets.ts'
import { fetchHandles, Handles } from './clients/handles.ts'
import { previewLink } from './clients/previews.ts'
import { fetchProfiles, Profiles } from './clients/profiles.ts'
import { notifyTyping } from './clients/typing.ts'
import type { Config } from './config.ts'
import type { Context } from './context.ts'
import { tooManyReads } from './errors.ts'
import { findHeader } from './store/rooms.ts'

export type TestOverrides = Partial<Pick<Context, 'now' | 'relay'>> & {
  /** How long to wait for the service `accounts`, in milliseconds. */
  accountsTimeoutMs?: number
}

export async function openContext(host: DatabaseHost, config: Config, overrides: TestOverrides): Promise<Context> {
  const { db, pool, transport } = host
  const { profiles, feed } = await openProfilesAndFeed(host, overrides.accountsTimeoutMs)
  const policy = await host.policy(host.client(AdminInternalService), feed)
  const ctx: Context = {
    ...{ db, pool, profiles },
    reads: createReadSemaphore({ connections: config.databasePool, refusal: tooManyReads }),
    relay: overrides.relay ?? (await host.relay()),
    headers: new RoomHeaderCache((roomId) => findHeader(pool, roomId)),
    writer: new RoomWriter((roomId, commands) => writeBatch(ctx, roomId, commands)),
    handles: new Handles(fetchHandles(transport, overrides.accountsTimeoutMs)),
    claimAssets: claimAssets(transport),
    previewLink: previewLink(transport),
    notifyTyping: notifyTyping(host.calls),
    policy: () => policy.current(),
    assets: { publicUrl: config.publicUrl, signingSecret: config.assetsSigningSecret },
    now: overrides.now ?? (() => new Date()),
    editWindowMs: config.editWindowMs,
  }
  return ctx
}

async function openProfilesAndFeed(host: DatabaseHost, timeoutMs: number | undefined) {
  const { events: bus, signal } = host
  const profiles = new Profiles(fetchProfiles(host.transport, timeoutMs))
  const dropChanged = (event: Event) => event.aggregateType === 'user' && profiles.drop(event.aggregateId)
  const onReset = () => profiles.clear()
  const feed = host.use(await followControl({ bus, signal, onEvent: dropChanged, onReset }))
  const onEvents = (batch: Event[]) => batch.forEach(dropChanged)
  host.use(await followEvents({ bus, signal, subject: 'evt.user.>', onEvents, onReset }))
  return { profiles, feed }
}
