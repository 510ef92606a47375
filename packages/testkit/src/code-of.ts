import { type Code, ConnectError } from '@connectrpc/connect'

export async function codeOf(call: Promise<unknown>): Promise<Code | undefined> {
  try {
    await call
    return undefined
  } catch (error) {
    return ConnectError.from(error).code
  }
}
