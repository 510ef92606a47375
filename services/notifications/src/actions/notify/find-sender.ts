import type { User } from '@parley/contracts/api'
import type { Context } from '../../context.ts'

/** The sender of a message; undefined if accounts does not answer or does not know them, or if they are deleted. */
export async function findSender(
  { fetchPeople }: Pick<Context, 'fetchPeople'>,
  userId: string,
): Promise<User | undefined> {
  const sender = (await fetchPeople([userId])).get(userId)
  return sender?.deleted === false ? sender : undefined
}
