import { readConfig as readAccounts } from '@parley/accounts/config'
import { startAccounts } from '@parley/accounts/service'
import { readConfig as readAdmin } from '@parley/admin/config'
import { startAdmin } from '@parley/admin/service'
import { readConfig as readCalls } from '@parley/calls/config'
import { startCalls } from '@parley/calls/service'
import type { CompactDeployable } from '@parley/contracts/deployables'
import { readConfig as readGateway } from '@parley/gateway/config'
import { startGateway } from '@parley/gateway/service'
import { readConfig as readMessaging } from '@parley/messaging/config'
import { startMessaging } from '@parley/messaging/service'
import { readConfig as readNotifications } from '@parley/notifications/config'
import { startNotifications } from '@parley/notifications/service'
import { readConfig as readRooms } from '@parley/rooms/config'
import { startRooms } from '@parley/rooms/service'
import type { Service } from '@parley/runtime'
import type { StartOptions } from '@parley/service'
import { readConfig as readUploads } from '@parley/uploads/config'
import { startUploads } from '@parley/uploads/service'

/**
 * Reads the configuration of a deployable and returns a function that starts it. Throws a ConfigError if the
 * configuration is invalid.
 */
export type Prepare = (env: NodeJS.ProcessEnv) => (starting: StartOptions) => Promise<Service>

export const deployables: Readonly<Record<CompactDeployable, Prepare>> = {
  gateway: prepare(readGateway, startGateway),
  accounts: prepare(readAccounts, startAccounts),
  rooms: prepare(readRooms, startRooms),
  messaging: prepare(readMessaging, startMessaging),
  admin: prepare(readAdmin, startAdmin),
  uploads: prepare(readUploads, startUploads),
  notifications: prepare(readNotifications, startNotifications),
  calls: prepare(readCalls, startCalls),
}

function prepare<C>(
  read: (sources: { env: NodeJS.ProcessEnv }) => C,
  start: (config: C, starting: StartOptions) => Promise<Service>,
): Prepare {
  return (env) => {
    const config = read({ env })
    return (starting) => start(config, starting)
  }
}
