import type { User } from '@parley/contracts/api'
import type { Context } from '../../context.ts'

/** Who sends a message, to be named with it; undefined when accounts does not answer, and for who is deleted. */
export async function findSender({ askPeople }: Pick<Context, 'askPeople'>, userId: string): Promise<User | undefined> {
  const sender = (await askPeople([userId])).get(userId)
  return sender?.deleted === false ? sender : undefined
}
