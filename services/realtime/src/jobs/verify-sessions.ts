import type { Accounts } from '../clients/accounts.ts'
import { sessionTerminated } from '../errors.ts'
import type { Subscriber } from '../hub/subscriber.ts'

const batchSize = 500

/** Asks accounts about the sessions of sockets, in batches, and ends those that no longer hold. */
export async function verifySessions(
  connections: Iterable<Subscriber>,
  accounts: Pick<Accounts, 'stillValid'>,
): Promise<void> {
  const all = [...connections].flatMap((connection) =>
    connection.digest ? [{ connection, digest: connection.digest }] : [],
  )
  for (let i = 0; i < all.length; i += batchSize) {
    const batch = all.slice(i, i + batchSize)
    const valid = await accounts.stillValid(batch.map(({ digest }) => digest))
    for (const { connection, digest } of batch)
      if (!valid.has(digest.toString('hex'))) connection.end(sessionTerminated)
  }
}
