import type { Interceptor } from '@connectrpc/connect'

/** Adds the token to calls that have no Authorization header. */
export function authorization(token: () => string | undefined): Interceptor {
  return (next) => (request) => {
    const current = token()
    if (current !== undefined && !request.header.has('authorization')) {
      request.header.set('authorization', `Bearer ${current}`)
    }
    return next(request)
  }
}
