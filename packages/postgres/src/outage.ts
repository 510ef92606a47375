import { Code, ConnectError } from '@connectrpc/connect'
import type { Db } from './db.ts'
import { isDatabaseUnavailable } from './errors.ts'

/** Whether an error means that another service did not answer, rather than that the work itself failed. */
export const isServiceUnavailable = (error: unknown): boolean =>
  error instanceof ConnectError && (error.code === Code.Unavailable || error.code === Code.DeadlineExceeded)

/** Whether the database answers at all. If it does, a statement timeout is a failure of the work. */
export async function isReachable(db: Db): Promise<boolean> {
  try {
    await db.execute('select 1')
    return true
  } catch {
    return false
  }
}

export async function isOutage(db: Db, error: unknown): Promise<boolean> {
  return isServiceUnavailable(error) || (isDatabaseUnavailable(error) && !(await isReachable(db)))
}
