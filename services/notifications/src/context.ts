import type { Db } from '@parley/postgres'

export type Context = {
  db: Db
}
