import { retry } from '@parley/runtime'
import type { Accounts } from '../clients/accounts.ts'
import { sessionTerminated } from '../errors.ts'
import type { Subscriber } from '../engines/hub/index.ts'

const batchSize = 500

export async function verifySessions(
  connections: Iterable<Subscriber>,
  accounts: Pick<Accounts, 'findValid'>,
): Promise<void> {
  const all = [...connections].flatMap((connection) =>
    connection.credentialId === undefined ? [] : [{ connection, id: connection.credentialId }],
  )
  for (let i = 0; i < all.length; i += batchSize) {
    const batch = all.slice(i, i + batchSize)
    const valid = await accounts.findValid(batch.map(({ id }) => id))
    for (const { connection, id } of batch) if (!valid.has(id)) connection.end(sessionTerminated)
  }
}

/** Retries {@link verifySessions} until it succeeds. */
export const verifyUntilAnswered = (
  sockets: readonly Subscriber[],
  accounts: Accounts,
  signal: AbortSignal,
): Promise<void> => retry(() => verifySessions(sockets, accounts), { signal, initialMs: 100, maxMs: 5_000 })
