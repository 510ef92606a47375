import type { NodePgDatabase } from 'drizzle-orm/node-postgres'

/** A drizzle database over a pool; statements outside a transaction each take a connection of their own. */
export type Db = NodePgDatabase<Record<string, never>>
/** A running transaction. Writers take one, so that a write outside a transaction does not compile. */
export type Tx = Parameters<Parameters<Db['transaction']>[0]>[0]
/** Whatever can be read from. */
export type Reader = Db | Tx
