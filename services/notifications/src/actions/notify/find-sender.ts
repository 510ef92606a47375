import type { User } from '@parley/contracts/api'
import type { Context } from '../../context.ts'

/** Undefined if the call to accounts fails, or if the sender is unknown or deleted. */
export async function findSender(
  { fetchPeople }: Pick<Context, 'fetchPeople'>,
  userId: string,
): Promise<User | undefined> {
  const sender = (await fetchPeople([userId])).get(userId)
  return sender?.deleted === false ? sender : undefined
}
