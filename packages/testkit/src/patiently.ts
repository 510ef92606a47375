import { Code, ConnectError } from '@connectrpc/connect'

const maxAttempts = 100

/**
 * Makes a call that may be repeated, and makes it again while the answer is `unavailable` or `deadline_exceeded`: for tests
 * that ask for more at once than a slow machine can do in time. Every other failure is thrown as it comes.
 */
export async function patiently<T>(call: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await call()
    } catch (error) {
      const { code } = ConnectError.from(error)
      const isPassing = code === Code.Unavailable || code === Code.DeadlineExceeded
      if (!isPassing || tries === maxAttempts) throw error
    }
  }
}
