import { Code, ConnectError } from '@connectrpc/connect'

const maxAttempts = 100

/**
 * Repeats a call that is safe to repeat while it fails with `unavailable` or `deadline_exceeded`. Throws all other
 * errors, and the error of the hundredth attempt.
 */
export async function retryWhileOverloaded<T>(call: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await call()
    } catch (error) {
      const { code } = ConnectError.from(error)
      const isTemporary = code === Code.Unavailable || code === Code.DeadlineExceeded
      if (!isTemporary || tries === maxAttempts) throw error
    }
  }
}
