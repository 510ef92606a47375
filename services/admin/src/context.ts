import type { Relay } from '@parley/events'
import type { Db } from '@parley/postgres'
import type { Config } from './config.ts'

export type Context = {
  config: Config
  db: Db
  relay: Pick<Relay, 'stored'>
  now: () => Date
}
