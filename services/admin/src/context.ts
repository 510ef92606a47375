import type { Policy } from '@parley/auth'
import type { Relay } from '@parley/events'
import type { Db } from '@parley/postgres'
import type { Config } from './config.ts'

export type Context = {
  config: Config
  db: Db
  policy: { current(): Policy }
  relay: Pick<Relay, 'stored' | 'wake'>
  now: () => Date
}
