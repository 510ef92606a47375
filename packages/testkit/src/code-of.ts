import { type Code, ConnectError } from '@connectrpc/connect'

/** The code with which a call fails; undefined if it succeeds. */
export async function codeOf(call: Promise<unknown>): Promise<Code | undefined> {
  try {
    await call
    return undefined
  } catch (error) {
    return ConnectError.from(error).code
  }
}
