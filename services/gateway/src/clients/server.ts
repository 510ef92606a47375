import { create } from '@bufbuild/protobuf'
import { type GetServerResponse, GetServerResponseSchema } from '@parley/contracts/discovery'

/** What anyone may know of this server: its name and the ways to sign in. */
export type ServerDescription = () => Promise<GetServerResponse>

const goodForMs = 5_000

/**
 * Asks for the description at most once in a few seconds. When nobody answers the last known one serves: someone with a
 * password can sign in whatever else is down.
 */
export function serverDescription(ask: () => Promise<GetServerResponse>, now = Date.now): ServerDescription {
  let known = create(GetServerResponseSchema, { profile: { name: 'Parley' }, login: {} })
  let askedAt = -Infinity
  let asking: Promise<GetServerResponse> | undefined
  return () => {
    if (now() - askedAt < goodForMs) return asking ?? Promise.resolve(known)
    askedAt = now()
    asking = ask()
      .then((answer) => (known = answer))
      .catch(() => {
        askedAt = -Infinity
        return known
      })
      .finally(() => (asking = undefined))
    return asking
  }
}
