import { AccountsInternalService, RoomsInternalService } from '@parley/contracts/internal'
import type { DatabaseHost } from '@parley/service'
import { Profiles } from './clients/profiles.ts'
import { RoomAccess } from './clients/room-access.ts'
import type { Config } from './config.ts'
import type { Context, Media } from './context.ts'
import { doMediaChores, MediaServer } from './engines/livekit/index.ts'

export type TestOverrides = {
  now?: () => Date
}

export function openContext(host: DatabaseHost, config: Config, overrides: TestOverrides): Context {
  return {
    db: host.db,
    rooms: new RoomAccess(host.client(RoomsInternalService), host.db),
    profiles: new Profiles(host.client(AccountsInternalService)),
    media: openMedia(host, config),
    now: overrides.now ?? (() => new Date()),
  }
}

function openMedia(host: DatabaseHost, { livekit: settings }: Config): Media | undefined {
  if (!settings) return undefined
  const media = { settings, server: new MediaServer(settings) }
  host.use(doMediaChores(host.db, media, { everyMs: 10_000, signal: host.signal }))
  return media
}
