import type { Interceptor } from '@connectrpc/connect'

/** Sends the bearer token, if there is one and the call brings none of its own. */
export function authorization(token: () => string | undefined): Interceptor {
  return (next) => (request) => {
    const current = token()
    if (current !== undefined && !request.header.has('authorization')) {
      request.header.set('authorization', `Bearer ${current}`)
    }
    return next(request)
  }
}
