import type { NodePgDatabase } from 'drizzle-orm/node-postgres'

/** A drizzle database over a pool; each statement outside a transaction takes its own connection. */
export type Db = NodePgDatabase<Record<string, never>>
/** A running transaction. Writers take one, so that a write outside a transaction does not compile. */
export type Tx = Parameters<Parameters<Db['transaction']>[0]>[0]
export type Reader = Db | Tx
