import { Code, ConnectError, type MemberClient } from '@parley/client'
import { setAccountDeleted } from '../state/account-deleted.ts'
import { isPermanent, retryMs } from './failures.ts'

let latestAttempt = 0

/**
 * Deletes the account of the signed-in user. If it fails without a response, the account may have been deleted: all
 * tabs then assume so until the server shows that the session still exists, or the deletion is attempted again.
 */
export async function deleteAccount(server: MemberClient, userId: string): Promise<void> {
  const { requestAccountDeletion, deleteMyAccount } = server.api.myAccount
  const { confirmationToken } = await requestAccountDeletion({})
  const attempt = ++latestAttempt
  // Set before, because the session may end before the response arrives.
  setAccountDeleted(userId, true)
  try {
    await deleteMyAccount({ confirmationToken })
  } catch (thrown) {
    if (mayBeDone(thrown))
      void isSignedIn(server).then((is) => is && attempt === latestAttempt && setAccountDeleted(userId, false))
    else setAccountDeleted(userId, false)
    throw thrown
  }
}

/** Whether the account may be deleted although the request failed. After an earlier success it is unauthenticated. */
const mayBeDone = (thrown: unknown): boolean =>
  [Code.Unavailable, Code.DeadlineExceeded, Code.Canceled, Code.Unknown, Code.Internal, Code.Unauthenticated].includes(
    ConnectError.from(thrown).code,
  )

/** Asks the server whether the session exists, until it responds. */
async function isSignedIn(server: MemberClient): Promise<boolean> {
  for (;;) {
    try {
      await server.api.viewer.getViewer({})
      return true
    } catch (thrown) {
      if (isPermanent(thrown)) return false
      await new Promise((resolve) => setTimeout(resolve, retryMs))
    }
  }
}
