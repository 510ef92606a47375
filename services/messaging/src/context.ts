import type { Policy } from '@parley/auth'
import type { Relay } from '@parley/events'
import type { Db } from '@parley/postgres'
import type pg from 'pg'
import type { Profiles } from './clients/profiles.ts'
import type { Headers } from './line/headers.ts'

/** What a handler may reach. */
export type Context = {
  db: Db
  pool: pg.Pool
  relay: Pick<Relay, 'wake' | 'stored'>
  headers: Headers
  profiles: Profiles
  policy: () => Policy
  /** What addresses of assets are made of. */
  assets: { publicUrl: string; signingSecret: string }
  now: () => Date
  /** How long authors may edit a message. */
  editWindowMs: number
}
