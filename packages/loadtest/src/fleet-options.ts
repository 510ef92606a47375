import type { FleetOptions } from '@parley/local'
import { benchSecretKey } from './load/signed-in-members.ts'
import { largestFile } from './measure/files.ts'

export const owner = { login: 'bench', password: 'a password for the bench' }

/** Rate limits are off or too high to be reached. */
export const fleetOptions = (dataDir: string): FleetOptions => ({
  dataDir,
  layout: process.env.PARLEY_LAYOUT === 'compact' ? 'compact' : 'separate',
  port: 0,
  owner,
  env: {
    ...process.env,
    PARLEY_LIMITS_READS_PER_MINUTE: '1000000000',
    PARLEY_LIMITS_WRITES_PER_MINUTE: '1000000000',
    PARLEY_CORE_SECRET_KEY: benchSecretKey,
    PARLEY_REALTIME_SOCKETS_PER_PERSON: '0',
    PARLEY_REALTIME_HELLOS_PER_SECOND: '0',
    PARLEY_PUSH_ALLOW_PRIVATE_ENDPOINTS: 'true',
    PARLEY_LIMITS_UPLOADS_PER_MINUTE: '1000000000',
    PARLEY_CORE_ASSETS_MAX_UPLOAD_SIZE: String(largestFile),
    PARLEY_UPLOADS_USER_PENDING: String(2 * largestFile),
  },
  say: (line) => console.error(line),
})
