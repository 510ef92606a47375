import type { User } from '@parley/contracts/api'
import type { Context } from '../../context.ts'

/** The sender of a message; undefined when accounts does not answer, or the sender is deleted. */
export async function findSender(
  { fetchPeople }: Pick<Context, 'fetchPeople'>,
  userId: string,
): Promise<User | undefined> {
  const sender = (await fetchPeople([userId])).get(userId)
  return sender?.deleted === false ? sender : undefined
}
